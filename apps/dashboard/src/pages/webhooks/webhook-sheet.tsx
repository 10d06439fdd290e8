import { useParams } from '@tanstack/react-router';
import { webhookName } from '../../data/webhook-name.ts';
import { count, percent, sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import { Alarm } from '../../parts/alarm.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { HealthChart } from './health-chart.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { answerOf, healthOf, lastAttempt, SCHEDULED, took, type Webhook } from './webhook.ts';

/** Sheet of one webhook: its health and deliveries. */
export function WebhookSheet() {
  const { id = '' } = useParams({ strict: false });
  const webhook = useApi('getWebhook', { id });
  const mayWrite = useMay('webhooks:write');
  const { data } = webhook;
  return (
    <Sheet
      kind="Webhook"
      over="/webhooks"
      wide
      title={<bdi>{data ? webhookName(data) : 'Webhook'}</bdi>}
      actions={data && mayWrite && <WebhookActions key={data.id} webhook={data} />}
    >
      {webhook.isPending && <Skeleton lines={6} />}
      {webhook.error && <Failure error={webhook.error} onRetry={() => void webhook.refetch()} />}
      {data && (
        <>
          {data.enabled && data.health.state === 'failing' && <Failing webhook={data} />}
          <Health webhook={data} />
          <HealthChart webhookId={data.id} />
          <DeliveryLog key={data.id} webhook={data} />
        </>
      )}
    </Sheet>
  );
}

function Health({ webhook }: { webhook: Webhook }) {
  const { url, events, all_events, previous_secret_until, health, created_at } = webhook;
  const [mark, word] = healthOf(webhook);
  // An attempt of an old delivery may be the last one, such as a retry. A recovery begins with the newest deliveries.
  const deliveries = useApi('listDeliveries', { id: webhook.id, limit: 25 });
  const last = lastAttempt(deliveries.data?.items ?? []);
  return (
    <Facts
      facts={[
        ['Health', <Mark key="health" of={mark} word={word} />],
        [
          'Last answer',
          last && (
            <span key="answer">
              <bdi>{answerOf(last)}</bdi> · <Ago at={last.started_at} />
            </span>
          ),
        ],
        ['URL', <CopyText key="url" text={url} what="URL" />],
        ['Events', all_events ? 'All' : events.map(sentence).join(', ')],
        [
          'Attempts, last 24 hours',
          health.success_rate === null
            ? 'None'
            : `${count(health.attempts)}, ${percent(health.success_rate)} accepted${health.timeouts > 0 ? `, ${count(health.timeouts)} timed out` : ''}`,
        ],
        ['Average response time', health.average_duration_ms === null ? 'Unknown' : took(health.average_duration_ms)],
        ['Last success', health.last_success_at === null ? 'Never' : <Ago key="success" at={health.last_success_at} />],
        ['Last failure', health.last_failure_at === null ? 'Never' : <Ago key="failure" at={health.last_failure_at} />],
        [
          'Previous secret also signs',
          previous_secret_until === null ? undefined : (
            <span key="secret">
              Until <Time at={previous_secret_until} />
            </span>
          ),
        ],
        ['Created', <Time key="created" at={created_at} />],
      ]}
    />
  );
}

/** Says since when an endpoint has not accepted any delivery. */
function Failing({ webhook: { health, created_at } }: { webhook: Webhook }) {
  const { last_success_at } = health;
  return (
    <Alarm
      title={
        <>
          No delivery accepted since <Time at={last_success_at ?? created_at} />
          {last_success_at === null && ', its registration'}.
        </>
      }
    >
      <p className="text-muted">
        Each delivery has {SCHEDULED} attempts. The log below has the answer of each attempt. When the endpoint works
        again, recover the failed deliveries.
      </p>
    </Alarm>
  );
}
