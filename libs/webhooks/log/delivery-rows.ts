import type { EntityManager } from '@mikro-orm/postgresql';
import { firstIdAt, type SqlTransaction } from '#core';
import { equal, isoTime, newestFirst, plainSql, SCHEMA, sql, type Sql, sqlOf, type TableList } from '#database';
import { parseWireEventId, wireEventId, type SentEventType } from '#outbox';
import { WEBHOOK_QUEUE } from '../delivery-task.js';
import { readAttempts } from './attempt-rows.js';
import { DeliveryNotFoundError, type DeliveryStatus, type ShownDelivery } from './delivery.js';

/** Filters of deliveries. */
export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event_type?: string | undefined;
  /** Id of the event on the wire: `evt_…`. */
  event_id?: string | undefined;
  /** Selects only deliveries that were created at or after this time. */
  since?: Date | undefined;
}

/** A delivery without its attempts. */
interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: SentEventType;
  status: DeliveryStatus;
  next_attempt_at: string | null;
  created_at: string;
}

/**
 * Maximum number of attempts per delivery in a list. The schedule makes up to five attempts; users can request more.
 */
const ATTEMPTS_IN_LIST = 10;

/** A number that exceeds the attempts of any delivery. */
const ALL_ATTEMPTS = 10_000;

// A task is leased if it has a token, and its due time lies in the future.
const LEASED = `(t.lease_token is not null and t.due_at > ${SCHEMA}.now())`;
const columnsOf = (orgId: string): Sql => {
  const isPaused = sql`exists (select from ${plainSql(SCHEMA)}.task_holds h
    where h.org_id = ${orgId} and h.queue = ${WEBHOOK_QUEUE} and h.key = d.webhook_id::text)`;
  return sql`${plainSql(COLUMNS)}, case when not ${plainSql(LEASED)} and t.quarantined_at is null and not ${isPaused}
    then ${plainSql(isoTime('t.due_at'))} end as next_attempt_at`;
};
const COLUMNS = `d.id, d.webhook_id, d.event_id, d.event_type, ${isoTime('d.created_at')} as created_at,
  case when d.status = 'pending' and ${LEASED} then 'delivering' else d.status end as status`;
const ITS_TASK = `join ${SCHEMA}.tasks t on t.org_id = d.org_id and t.id = d.id and d.status = 'pending'`;

// The statuses are literals, because the planner uses the partial index of failed deliveries only for a literal. Each
// pending delivery has a task, so the query starts from the few tasks.
const WITH_STATUS: Record<DeliveryStatus, { joins: string; where: Sql }> = {
  pending: { joins: ITS_TASK, where: plainSql(`not ${LEASED}`) },
  delivering: { joins: ITS_TASK, where: plainSql(LEASED) },
  delivered: { joins: `left ${ITS_TASK}`, where: sql`d.status = 'delivered'` },
  failed: { joins: `left ${ITS_TASK}`, where: sql`d.status = 'failed'` },
  cancelled: { joins: `left ${ITS_TASK}`, where: sql`d.status = 'cancelled'` },
};
/** The nil UUID stands for a text that is not an event id. No event has this id. */
const NO_EVENT = '00000000-0000-0000-0000-000000000000';

const WITH_ANY_STATUS = { joins: `left ${ITS_TASK}`, where: undefined };

/**
 * The deliveries of one webhook or of all webhooks, newest first. The order is that of the ids, because ids grow with
 * time.
 */
export function deliveriesOf(
  orgId: string,
  webhookId: string | undefined,
  filter: DeliveryFilter,
): TableList<DeliveryRow> {
  const { status, event_type, since } = filter;
  const eventId = filter.event_id === undefined ? undefined : (parseWireEventId(filter.event_id)?.id ?? NO_EVENT);
  const { joins, where } = status === undefined ? WITH_ANY_STATUS : WITH_STATUS[status];
  return {
    name: 'webhook_deliveries',
    filters: { webhookId, status, event_type, event_id: filter.event_id, since: since?.getTime() },
    table: 'webhook_deliveries',
    as: 'd',
    joins,
    where: [
      ...equal({ 'd.webhook_id': webhookId }),
      where,
      ...equal({ 'd.event_type': event_type, 'd.event_id': eventId }),
      since && sql`d.id >= ${firstIdAt(since)}::uuid`,
    ],
    rows: columnsOf(orgId),
    order: newestFirst('d.id'),
  };
}

/** @throws DeliveryNotFoundError */
export async function oneDelivery(
  em: EntityManager,
  orgId: string,
  webhookId: string,
  id: string,
): Promise<ShownDelivery> {
  const { sql: text, parameters } = sql`
    select ${columnsOf(orgId)} from ${plainSql(SCHEMA)}.webhook_deliveries d left ${plainSql(ITS_TASK)}
    where d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.id = ${id}`.statement;
  const tx = sqlOf(em);
  const [delivery] = await withAttempts(tx, orgId, await tx.query<DeliveryRow>(text, parameters), ALL_ATTEMPTS);
  if (!delivery) throw new DeliveryNotFoundError(id);
  return delivery;
}

/** The deliveries of a list, each with its ten latest attempts. */
export function withLatestAttempts(
  tx: SqlTransaction,
  orgId: string,
  rows: readonly DeliveryRow[],
): Promise<ShownDelivery[]> {
  return withAttempts(tx, orgId, rows, ATTEMPTS_IN_LIST);
}

async function withAttempts(
  tx: SqlTransaction,
  orgId: string,
  rows: readonly DeliveryRow[],
  latest: number,
): Promise<ShownDelivery[]> {
  const attempts = await readAttempts(tx, orgId, rows, latest);
  return rows.map(({ id, webhook_id, event_id, event_type, status, next_attempt_at, created_at }) => ({
    id,
    webhook_id,
    event_id: wireEventId(event_id, event_type),
    event_type,
    status,
    attempts: attempts.get(id) ?? [],
    next_attempt_at,
    created_at,
  }));
}
