import { BarStrip } from '../../charts/bar-strip.tsx';
import type { AnswerOf } from '../../data/call.ts';
import { count, plural } from '../../data/format.ts';
import { shortTime } from '../../data/time.ts';
import { useApi } from '../../data/use-api.ts';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { useZone } from '../../parts/time.tsx';
import { took } from './webhook.ts';

/**
 * Attempts in each of the last 24 hours. The lower part of a bar is the accepted ones; the upper part, in the failure
 * color, the failed ones. The slowest durations are shown, too.
 */
export function HealthChart({ webhookId }: { webhookId: string }) {
  const zone = useZone();
  const { data, error, refetch } = useApi('getWebhookHealth', { id: webhookId, hours: 24 }, { keep: true });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={2} label="Loading health by hour" />;
  const hours = data.hours;
  const total = hours.reduce((sum, { delivered }) => sum + delivered, 0);
  const failures = hours.reduce((sum, { failed }) => sum + failed, 0);
  const slowest = Math.max(0, ...hours.map(({ p95_ms }) => p95_ms ?? 0));
  const words =
    `${count(total)} of ${plural(total + failures, 'attempt')} accepted in 24 hours` +
    (slowest > 0 ? `, slowest hour p95 ${took(slowest)}` : '');
  return (
    <Section title="Attempts by hour" aside={`Hours in ${zone}`}>
      <BarStrip
        bars={hours.map(hour => ({
          id: hour.hour,
          good: hour.delivered,
          bad: hour.failed,
          words: inWords(hour, zone),
        }))}
        words={words}
        unit="hours"
        tick={({ id }) => shortTime(id, zone)}
      />
    </Section>
  );
}

type Hour = AnswerOf<'getWebhookHealth'>['hours'][number];

function inWords({ hour, delivered, failed, p50_ms, p95_ms }: Hour, zone: string): string {
  const times = p50_ms === null || p95_ms === null ? '' : `, p50 ${took(p50_ms)}, p95 ${took(p95_ms)}`;
  return `${shortTime(hour, zone)}: ${count(delivered)} accepted, ${count(failed)} failed${times}`;
}
