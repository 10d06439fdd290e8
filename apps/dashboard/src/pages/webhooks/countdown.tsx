import { useEffect, useState } from 'react';
import { fullTime } from '../../data/time.ts';
import { useZone } from '../../parts/time.tsx';

/** Time until an instant, updated every second: `4:03`. Screen readers get the instant itself instead. */
export function Countdown({ until }: { until: string }) {
  const zone = useZone();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((new Date(until).getTime() - now) / 1_000));
  return (
    <time dateTime={until} title={fullTime(until, zone)} className="whitespace-nowrap tabular-nums">
      {seconds === 0 ? 'now' : `in ${clock(seconds)}`}
    </time>
  );
}

function clock(seconds: number): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
