import { distance, fullTime } from '../../data/time.ts';
import { Mark } from '../../parts/marks.tsx';
import { Ago, useNow, useZone } from '../../parts/time.tsx';

const SOON_MS = 7 * 24 * 3_600_000;

/** The time at which a token expires. It is marked if it is less than 7 days away. */
export function Expiry({ at }: { at: string | null }) {
  const zone = useZone();
  const now = useNow();
  if (at === null) return <span className="text-muted">Never</span>;
  if (new Date(at).getTime() - now >= SOON_MS) return <Ago at={at} />;
  return (
    <time dateTime={at} title={`Expires soon: ${fullTime(at, zone)}`}>
      <Mark of="uncertain" word={distance(at, now)} />
    </time>
  );
}
