import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { money, percent } from '../../data/format.ts';
import { shortDay } from '../../data/time.ts';
import { webhookName } from '../../data/webhook-name.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi, useList, type ItemOf } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import type { Budget } from './standing.ts';

type Window = ItemOf<'listBudgetHistory'>;
type Alert = Window['alerts'][number];

/** The periods of a budget, the newest first, with their alerts. A split budget has an entry for each part. */
export function BudgetHistory({ budget: { id, split_by } }: { budget: Budget }) {
  const list = useList('listBudgetHistory', { id, limit: 12 });
  const { items, isPending, error, retry, hasMore, isLoadingMore, more } = list;
  return (
    <Section title="History" list={list}>
      {isPending && <Skeleton lines={3} label="Loading history" />}
      {error && <Failure error={error} onRetry={retry} />}
      {!isPending && !error && items.length === 0 && <p className="py-2 text-muted">No spend in any period.</p>}
      <ul aria-label="Periods">
        {items.map(window => (
          <Period key={`${window.window_start} ${window.part ?? ''}`} window={window} of={split_by} />
        ))}
      </ul>
      {hasMore && (
        <Button small busy={isLoadingMore} onClick={more} className="mt-2 self-start">
          Show earlier periods
        </Button>
      )}
    </Section>
  );
}

function Period({ window, of }: { window: Window; of: Budget['split_by'] }) {
  const zone = useZone();
  const { window_start, window_end, part, spent_usd, amount_usd, alerts } = window;
  // The end is exclusive, so the last day of the period is the day before it.
  const last = new Date(new Date(window_end).getTime() - 1).toISOString();
  const [from, until] = [shortDay(window_start, zone), shortDay(last, zone)];
  return (
    <li className="flex flex-col border-b border-line py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="min-w-0 flex-1 truncate">
          {from === until ? from : `${from} – ${until}`}
          {part !== null && (
            <span className="text-muted">
              {' · '}
              <Part part={part} of={of ?? 'part'} />
            </span>
          )}
        </span>
        <span className="tabular-nums">
          {money(spent_usd)} <span className="text-muted">of {money(amount_usd)}</span>
        </span>
        <span className="w-14 text-right tabular-nums">{amount_usd > 0 ? percent(spent_usd / amount_usd) : '–'}</span>
      </div>
      {alerts.map(alert => (
        <SentAlert key={alert.event_id} alert={alert} />
      ))}
    </li>
  );
}

function Part({ part, of }: { part: string; of: string }) {
  if (part === '') return `no ${of}`;
  return of === 'user' ? <PersonName id={part} /> : <bdi>{part}</bdi>;
}

/** An alert of a period. Pressing it shows the event that was sent, and the receivers of the event. */
function SentAlert({ alert: { type, threshold, event_id, sent_at } }: { alert: Alert }) {
  const [isOpen, setOpen] = useState(false);
  const isWarning = type === 'budget_warning';
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-7 items-center gap-2 text-left text-small hover:bg-sunken"
      >
        <ChevronRight size={14} aria-hidden className={cx('shrink-0 text-muted', isOpen && 'rotate-90')} />
        <Mark of={isWarning ? 'medium' : 'critical'} word={`Alert at ${Number((threshold * 100).toFixed(1))}%`} />
        <span className="ml-auto text-muted">
          <Time at={sent_at} />
        </span>
      </button>
      {isOpen && <SentEvent id={event_id} />}
    </>
  );
}

function SentEvent({ id }: { id: string }) {
  const mayRead = useMay('webhooks:read');
  const { data, error, refetch } = useApi('listAllDeliveries', { event_id: id, limit: 100 }, { enabled: mayRead });
  return (
    <div className="flex flex-col gap-1 pb-1 pl-5 text-small">
      <CopyText text={id} what="event ID" />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="text-muted">No endpoint was subscribed to this event.</p>}
      {data?.items.map(({ id, webhook_id, status }) => (
        <p key={id} className="flex items-center gap-3">
          <span className="w-22 shrink-0">
            <Mark of={status} />
          </span>
          <Endpoint id={webhook_id} />
        </p>
      ))}
    </div>
  );
}

function Endpoint({ id }: { id: string }) {
  const { data } = useApi('getWebhook', { id });
  return (
    <PageLink to={`/webhooks/${id}`} className="link min-w-0 truncate">
      <bdi>{data ? webhookName(data) : '…'}</bdi>
    </PageLink>
  );
}
