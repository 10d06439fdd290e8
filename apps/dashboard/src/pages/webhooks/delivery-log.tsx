import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useList } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { Recover } from './recover.tsx';
import type { Delivery, Webhook } from './webhook.ts';

const STATES = ['failed', 'pending', 'delivered', 'cancelled'] as const;

/** How often a log is read again, in milliseconds: soon while something of it is under way. */
const SOON = 3_000;
const AT_REST = 15_000;

const ENDED: ReadonlySet<Delivery['status']> = new Set(['delivered', 'failed', 'cancelled']);

/** What was sent to an endpoint, the newest first, each with its attempts. */
export function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const [filters, setFilters] = useFilters<'delivery'>();
  const status = oneOf(filters.delivery, STATES);
  const list = useList('listDeliveries', { id: webhook.id, status, limit: 25 });
  const [isRecovering, setRecovering] = useState(false);
  const mayWrite = useMay('webhooks:write');
  const { items, total, hasMore } = list;
  useReadAgain(items.some(({ status, next_attempt_at: at }) => !ENDED.has(status) && isNear(at)));
  return (
    <Section
      title="Delivery log"
      aside={
        mayWrite && (
          <Button small onClick={() => setRecovering(true)}>
            Recover failed…
          </Button>
        )
      }
    >
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
            <DeliveryRow key={delivery.id} delivery={delivery} isPaused={!webhook.enabled} mayRetry={mayWrite} />
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
      {isRecovering && <Recover webhook={webhook} onClose={() => setRecovering(false)} />}
    </Section>
  );
}

/** Whether an attempt is under way or about to be. */
function isNear(at: string | null): boolean {
  return at === null || new Date(at).getTime() - Date.now() < 10_000;
}

/** Reads the log and the endpoint's health again by itself. */
function useReadAgain(isUnderWay: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setInterval(
      () => {
        if (document.hidden) return;
        void client.invalidateQueries({ queryKey: ['listDeliveries'] });
        void client.invalidateQueries({ queryKey: ['getWebhook'] });
      },
      isUnderWay ? SOON : AT_REST,
    );
    return () => clearInterval(timer);
  }, [client, isUnderWay]);
}
