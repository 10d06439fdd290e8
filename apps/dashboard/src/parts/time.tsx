import { useSyncExternalStore } from 'react';
import { useMe } from '../data/scopes.ts';
import { distance, fullTime, secondOf, shortDay, shortTime } from '../data/time.ts';

const EVERY = 10_000;
let now = Date.now();
const readers = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const reader of readers) reader();
}, EVERY);

/** The current time, updated every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(
    reader => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => now,
  );
}

/** The organization's time zone. All times are shown in it. */
export function useZone(): string {
  return useMe().organization.time_zone;
}

/**
 * A time in the organization's time zone: `Nov 23, 14:05`. With `seconds`, it is `Nov 23, 14:05:09` on wide screens.
 * With `seconds="always"`, it is so on all screens. The title contains the full time with the zone.
 */
export function Time({
  at,
  day = false,
  seconds = false,
}: {
  at: string;
  day?: boolean;
  seconds?: boolean | 'always';
}) {
  const zone = useZone();
  const now = useNow();
  return (
    <time dateTime={at} title={fullTime(at, zone)} className="whitespace-nowrap">
      {day ? shortDay(at, zone, now) : shortTime(at, zone, now)}
      {seconds !== false && (
        <span className={seconds === 'always' ? undefined : 'max-md:hidden'}>{`:${secondOf(at)}`}</span>
      )}
    </time>
  );
}

/** A relative time: `5 minutes ago`, `in 2 hours`. */
export function Ago({ at }: { at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at} title={fullTime(at, zone)} className="whitespace-nowrap">
      {distance(at, useNow())}
    </time>
  );
}
