import { useState, type KeyboardEvent } from 'react';
import type { AnswerOf } from '../../data/call.ts';
import { count } from '../../data/format.ts';
import { shortTime } from '../../data/time.ts';
import { useApi } from '../../data/use-api.ts';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { useZone } from '../../parts/time.tsx';
import { took } from './webhook.ts';

const HEIGHT = 48;

/**
 * Attempts of the last 24 hours per hour: accepted below, failed above in the failure color, with the slowest times.
 */
export function HealthChart({ webhookId }: { webhookId: string }) {
  const zone = useZone();
  const [place, setPlace] = useState<number | null>(null);
  const { data, error, refetch } = useApi('getWebhookHealth', { id: webhookId, hours: 24 }, { keep: true });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={2} label="Loading health by hour" />;
  const hours = data.hours;
  const most = Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed));
  const total = hours.reduce((sum, { delivered }) => sum + delivered, 0);
  const failures = hours.reduce((sum, { failed }) => sum + failed, 0);
  const slowest = Math.max(0, ...hours.map(({ p95_ms }) => p95_ms ?? 0));
  const words =
    `${count(total)} delivered, ${count(failures)} failed in 24 hours` +
    (slowest > 0 ? `, slowest hour p95 ${took(slowest)}` : '');
  const shown = place === null ? undefined : hours[place];
  const move = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, place, hours.length);
    if (next === undefined) return;
    event.preventDefault();
    setPlace(next);
  };
  return (
    <Section title="Attempts by hour" aside={`hours in ${zone}`}>
      <p aria-hidden className="flex justify-between border-b border-line pt-3 pb-0.5 text-tiny text-muted">
        <span className="tabular-nums">{count(most)}</span>
      </p>
      <svg
        role="img"
        aria-label={`${words}. Arrow keys read the hours.`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys walk along the hours
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setPlace(null)}
        onPointerLeave={() => setPlace(null)}
        width="100%"
        height={HEIGHT}
        viewBox={`0 0 ${hours.length} 1`}
        preserveAspectRatio="none"
        className="border-b border-control"
      >
        {hours.map(({ hour, delivered, failed }, at) => (
          <g key={hour} onPointerEnter={() => setPlace(at)}>
            <rect x={at} width={1} height={1} fill={at === place ? 'var(--sunken)' : 'transparent'} />
            <rect x={at + 0.1} width={0.8} y={1 - delivered / most} height={delivered / most} fill="var(--series-1)" />
            <rect
              x={at + 0.1}
              width={0.8}
              y={1 - (delivered + failed) / most}
              height={failed / most}
              fill="var(--critical)"
            />
          </g>
        ))}
      </svg>
      <p aria-hidden className="flex justify-between pt-1 text-tiny text-muted">
        {[hours[0], hours[Math.floor(hours.length / 2)]].map(
          each => each && <span key={each.hour}>{shortTime(each.hour, zone)}</span>,
        )}
        <span>now</span>
      </p>
      <p aria-live="polite" className="pt-1 text-small text-muted">
        {shown ? inWords(shown, zone) : words}
      </p>
    </Section>
  );
}

/** The hour that a key selects; null to select none, undefined if the chart does not handle the key. */
function placeAfter(key: string, place: number | null, hours: number): number | null | undefined {
  const last = hours - 1;
  if (key === 'ArrowLeft') return Math.max(0, (place ?? hours) - 1);
  if (key === 'ArrowRight') return Math.min(last, (place ?? -1) + 1);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  return key === 'Escape' && place !== null ? null : undefined;
}

type Hour = AnswerOf<'getWebhookHealth'>['hours'][number];

function inWords({ hour, delivered, failed, p50_ms, p95_ms }: Hour, zone: string): string {
  const times = p50_ms === null || p95_ms === null ? '' : `, p50 ${took(p50_ms)}, p95 ${took(p95_ms)}`;
  return `${shortTime(hour, zone)}: ${count(delivered)} delivered, ${count(failed)} failed${times}`;
}
