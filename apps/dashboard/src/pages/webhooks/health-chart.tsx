import { count } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { took } from './webhook.ts';

const HEIGHT = 48;

/** Attempts of the last 24 hours by the hour: accepted above, failed in the color of failures, with the slowest times. */
export function HealthChart({ webhookId }: { webhookId: string }) {
  const { data, error, refetch } = useApi('getWebhookHealth', { id: webhookId, hours: 24 }, { keep: true });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={2} label="Loading health by hour" />;
  const hours = data.hours;
  const most = Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed));
  const total = hours.reduce((sum, { delivered }) => sum + delivered, 0);
  const failures = hours.reduce((sum, { failed }) => sum + failed, 0);
  const slowest = Math.max(0, ...hours.map(({ p95_ms }) => p95_ms ?? 0));
  const words =
    `${count(total)} delivered, ${count(failures)} failed in 24 hours (${data.time_zone})` +
    (slowest > 0 ? `, slowest hour p95 ${took(slowest)}` : '');
  return (
    <Section title="Attempts by hour">
      <svg
        role="img"
        aria-label={words}
        width="100%"
        height={HEIGHT}
        viewBox={`0 0 ${hours.length} 1`}
        preserveAspectRatio="none"
      >
        {hours.map(({ hour, delivered, failed, p50_ms, p95_ms }, at) => (
          <g key={hour}>
            <title>
              {`${hour.slice(0, 16).replace('T', ' ')} UTC: ${count(delivered)} delivered, ${count(failed)} failed` +
                (p50_ms === null || p95_ms === null ? '' : `, p50 ${took(p50_ms)}, p95 ${took(p95_ms)}`)}
            </title>
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
      <p className="text-small text-muted">{words}</p>
    </Section>
  );
}
