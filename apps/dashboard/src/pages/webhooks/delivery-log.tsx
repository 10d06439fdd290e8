import { useState } from 'react';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi, useList } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { Recover } from './recover.tsx';
import { RecoveryProgress, type Recovery } from './recovery-progress.tsx';
import type { Webhook } from './webhook.ts';

const STATES = ['failed', 'pending', 'delivered', 'cancelled'] as const;

/** Deliveries of a webhook, newest first, with their attempts. */
export function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const [filters, setFilters] = useFilters<'delivery'>();
  const status = oneOf(filters.delivery, STATES);
  const list = useList('listDeliveries', { id: webhook.id, status, limit: 25 });
  const [isRecovering, setRecovering] = useState(false);
  const [recovery, setRecovery] = useState<Recovery>();
  const mayWrite = useMay('webhooks:write');
  const failed = useApi('listDeliveries', { id: webhook.id, status: 'failed', limit: 1 }, { enabled: mayWrite });
  const hasFailed = failed.data?.items.length !== 0;
  const { items, total, hasMore } = list;
  return (
    <Section
      title="Delivery log"
      list={list}
      aside={
        mayWrite && (
          <span className="flex flex-wrap items-center justify-end gap-x-3">
            {!hasFailed && (
              <span id="none-failed" className="max-sm:sr-only">
                No delivery has used up its attempts
              </span>
            )}
            <Button
              small
              disabled={!hasFailed}
              aria-describedby={hasFailed ? undefined : 'none-failed'}
              onClick={() => setRecovering(true)}
            >
              Recover failed…
            </Button>
          </span>
        )
      }
    >
      {recovery?.webhook_id === webhook.id && <RecoveryProgress of={recovery} onClose={() => setRecovery(undefined)} />}
      <div className="py-3">
        <Segments
          label="Deliveries"
          value={status ?? ''}
          options={[
            ['', 'All'],
            ['failed', 'Failed'],
            ['pending', 'Pending'],
            ['delivered', 'Delivered'],
            ['cancelled', 'Cancelled'],
          ]}
          onChange={delivery => setFilters({ delivery })}
        />
      </div>
      {list.isPending && <Skeleton lines={6} label="Loading deliveries" />}
      {list.error && items.length === 0 && <Failure error={list.error} onRetry={list.retry} />}
      {items.length > 0 && (
        <ul aria-label="Deliveries">
          {items.map(delivery => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              url={webhook.url}
              isPaused={!webhook.enabled}
              mayRetry={mayWrite}
            />
          ))}
        </ul>
      )}
      {!list.isPending && !list.error && items.length === 0 && (
        <p className="py-3 text-muted">
          {status === undefined
            ? 'No deliveries yet. Send a ping to test the endpoint.'
            : 'No deliveries with this status.'}
        </p>
      )}
      {items.length > 0 && (
        <output className="flex min-h-10 items-center gap-3 pt-2 text-small text-muted">
          {hasMore && (
            <Button small onClick={list.more} busy={list.isLoadingMore}>
              Show more
            </Button>
          )}
          {hasMore && total !== undefined
            ? `${count(items.length)} of ${count(total)}`
            : `${count(items.length)} deliveries`}
        </output>
      )}
      {isRecovering && <Recover webhook={webhook} onStart={setRecovery} onClose={() => setRecovering(false)} />}
    </Section>
  );
}
