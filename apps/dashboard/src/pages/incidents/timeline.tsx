import { CircleDot, GitBranch, MessageSquare, Repeat2, Ticket, UserCheck, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../data/call.ts';
import { sentence, words } from '../../data/format.ts';
import { platformName } from '../../data/platform.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi, useList } from '../../data/use-api.ts';
import { webhookName } from '../../data/webhook-name.ts';
import { Button } from '../../parts/button.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { isStuck, useFailing } from './failing.ts';
import { changeHead } from './ticket-change.ts';
import { TicketMark } from './ticket-mark.tsx';

type Incident = AnswerOf<'getIncident'>;
type Entry = Incident['timeline'][number];

const ICONS: Record<Entry['kind'], LucideIcon> = {
  occurrence: Repeat2,
  opened: CircleDot,
  status: UserCheck,
  note: MessageSquare,
  followed: GitBranch,
  ticket: Ticket,
};

/** Timeline of an incident, newest first: decisions with their deliveries and tickets, and actions of people. */
export function Timeline({ incident: { id } }: { incident: Incident }) {
  const list = useList('listIncidentTimeline', { id, limit: 50 });
  return (
    <Section title="Timeline" list={list} aside="Newest first">
      {list.isPending && <Skeleton lines={3} label="Loading timeline" />}
      {list.error && <Failure error={list.error} onRetry={list.retry} />}
      <ol className="flex flex-col pt-3">
        {list.items.map(entry => (
          <TimelineEntry key={entry.id} entry={entry} />
        ))}
      </ol>
      {list.hasMore && (
        <div>
          <Button small busy={list.isLoadingMore} onClick={list.more}>
            Earlier
          </Button>
        </div>
      )}
    </Section>
  );
}

function TimelineEntry({ entry }: { entry: Entry }) {
  const Icon = ICONS[entry.kind];
  return (
    <li className="group relative flex gap-3 pb-4">
      <span aria-hidden className="absolute top-5 bottom-0 left-[7px] w-px bg-line group-last:hidden" />
      <Icon size={15} strokeWidth={1.75} aria-hidden className="relative mt-0.5 shrink-0 text-muted" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="min-w-0 font-medium break-words">{headOf(entry)}</p>
          <span className="text-small text-muted">
            <Time at={entry.at} />
          </span>
        </div>
        {entry.actor && entry.kind !== 'opened' && entry.kind !== 'ticket' && (
          <p className="text-small text-muted">
            <bdi>{entry.actor.name}</bdi>
          </p>
        )}
        <Said entry={entry} />
        {entry.kind === 'occurrence' && <Occurrence data={entry.data} />}
        {entry.kind === 'ticket' && <TicketChange data={entry.data} />}
      </div>
    </li>
  );
}

function headOf({ kind, data }: Entry): ReactNode {
  const { action, to } = data;
  if (kind === 'opened') return typeof data['follows'] === 'string' ? 'Raised again after a quiet period' : 'Raised';
  if (kind === 'note') return 'Note';
  if (kind === 'followed') return 'Quiet; continued in a later incident';
  if (kind === 'ticket' && data['change'] === 'reported')
    return `Ticket marked ${words(String(data['status']))} in ${platformName(String(data['platform']))}`;
  if (kind === 'ticket') return changeHead(String(data['change']), data['result'], data['error']);
  if (kind === 'status') return `Marked ${words(String(to))}`;
  return typeof action === 'string' ? `Decision: ${sentence(action)}` : 'Observed';
}

/** Says which ticket was changed and by whom, or why it was not changed. */
function TicketChange({ data: { ticket_id, external_ticket_id, updated_by, error } }: { data: Entry['data'] }) {
  return (
    <div className="flex flex-col gap-1 text-small">
      <p className="min-w-0 break-words text-muted">
        <PageLink to={`/incidents/tickets/${String(ticket_id)}`} className="link">
          Ticket {String(external_ticket_id)}
        </PageLink>
        {typeof updated_by === 'string' && (
          <>
            {' '}
            by <bdi>{updated_by}</bdi>
          </>
        )}
      </p>
      {typeof error === 'string' && (
        <p className="break-words text-muted">
          <bdi>{error}</bdi>
        </p>
      )}
    </div>
  );
}

/** The note or the resolution that a person entered. */
function Said({ entry: { data } }: { entry: Entry }) {
  const texts = [data['note'], data['resolution']].filter(text => typeof text === 'string' && text !== '');
  return texts.map(text => (
    <p key={String(text)} dir="auto" className="border-l-2 border-line pl-3 break-words whitespace-pre-wrap">
      {String(text)}
    </p>
  ));
}

/** The decision, the deliveries and the tickets of one occurrence. */
function Occurrence({ data }: { data: Entry['data'] }) {
  const { decision_id, action } = data;
  const deliveries = recordsOf(data['deliveries']);
  const tickets = recordsOf(data['tickets']);
  const mayRead = useMay('webhooks:read');
  const webhooks = useApi('listWebhooks', { limit: 100 }, { enabled: mayRead && deliveries.length > 0 });
  const names = new Map(webhooks.data?.items.map(webhook => [webhook.id, webhookName(webhook)]));
  return (
    <ul className="flex flex-col text-small">
      {typeof decision_id === 'string' && typeof action === 'string' && (
        <li className="flex min-h-6 items-center gap-2">
          <PageLink to={`/decisions/${decision_id}`} className="link">
            View decision
          </PageLink>
        </li>
      )}
      {deliveries.map(({ id, webhook_id, status, attempts }) => (
        <li key={String(id)} className="flex min-h-6 flex-wrap items-center gap-2">
          <span className="w-24 shrink-0">
            <Mark of={String(status)} />
          </span>
          <PageLink to={`/webhooks/${String(webhook_id)}`} className="link min-w-0 truncate">
            <bdi>{names.get(String(webhook_id)) ?? (webhooks.isLoading ? '…' : 'Webhook')}</bdi>
          </PageLink>
          <span className="text-muted">
            {Number(attempts) > 0 ? `attempt ${Number(attempts)}` : 'not attempted yet'}
          </span>
        </li>
      ))}
      {tickets.map(({ id, connector_id, kind, sync_state, external_ticket_id }) => (
        <li key={String(id)} className="flex min-h-6 flex-wrap items-center gap-2">
          <span className="w-24 shrink-0">
            <CreationMark state={String(sync_state)} connectorId={String(connector_id)} />
          </span>
          <PageLink to={`/incidents/tickets/${String(id)}`} className="link">
            {typeof external_ticket_id === 'string'
              ? `Ticket ${external_ticket_id}`
              : `Ticket of ${platformName(String(kind))}`}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

/** The state of the creation of a ticket. */
function CreationMark({ state, connectorId }: { state: string; connectorId: string }) {
  const failing = useFailing();
  return (
    <TicketMark
      state={state}
      status={null}
      isStuck={isStuck({ sync_state: state, connector_id: connectorId }, failing)}
    />
  );
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'object' && each !== null) : [];
}
