import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';
import { countRows, SCHEMA, sqlOf } from '#database';
import { wireEventId, type SentEventType } from '#outbox';
import { WEBHOOK_LANE } from '../delivery-task.js';
import { readAttempts } from './attempt-rows.js';
import { DeliveryNotFoundError, type DeliveryStatus, type ShownDelivery } from './delivery.js';
import { iso } from './iso.js';

/** Which deliveries of a webhook. */
export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event_type?: string | undefined;
}

interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: SentEventType;
  status: DeliveryStatus;
  next_attempt_at: string | null;
  created_at: string;
}

/** How many attempts a list shows of each delivery: the schedule makes five, and people ask for more. */
const ATTEMPTS_IN_LIST = 10;

/** More than a delivery can have. */
const ALL_ATTEMPTS = 10_000;

// The lease of a task is its due time, moved into the future under a token.
const LEASED = `(t.lease_token is not null and t.due_at > ${SCHEMA}.now())`;
const PAUSED = `exists (select from ${SCHEMA}.task_holds h
  where h.org_id = $1 and h.lane = '${WEBHOOK_LANE}' and h.key = $2::uuid::text)`;
const COLUMNS = `d.id, d.webhook_id, d.event_id, d.event_type, ${iso('d.created_at')} as created_at,
  case when d.status = 'pending' and ${LEASED} then 'delivering' else d.status end as status,
  case when not ${LEASED} and t.quarantined_at is null and not ${PAUSED} then ${iso('t.due_at')} end as next_attempt_at`;
const DELIVERIES = `from ${SCHEMA}.webhook_deliveries d`;
const ITS_TASK = `join ${SCHEMA}.tasks t on t.org_id = d.org_id and t.id = d.id and d.status = 'pending'`;

// Literals, so that the index of failed deliveries is found. What is pending has a task, and tasks are few.
const WITH_STATUS: Record<DeliveryStatus, { from: string; where: string }> = {
  pending: { from: `${DELIVERIES} ${ITS_TASK}`, where: `and not ${LEASED}` },
  delivering: { from: `${DELIVERIES} ${ITS_TASK}`, where: `and ${LEASED}` },
  delivered: { from: `${DELIVERIES} left ${ITS_TASK}`, where: `and d.status = 'delivered'` },
  failed: { from: `${DELIVERIES} left ${ITS_TASK}`, where: `and d.status = 'failed'` },
  cancelled: { from: `${DELIVERIES} left ${ITS_TASK}`, where: `and d.status = 'cancelled'` },
};
const WITH_ANY_STATUS = { from: `${DELIVERIES} left ${ITS_TASK}`, where: '' };

/** The statements behind the list and the single view of deliveries. */
export class DeliveryRows {
  private readonly parameters: unknown[];
  private readonly selection: string;

  /** @param em of a transaction of the organization */
  constructor(
    private readonly em: EntityManager,
    private readonly orgId: string,
    webhookId: string,
    { status, event_type }: DeliveryFilter = {},
  ) {
    this.parameters = [orgId, webhookId];
    const { from, where } = status === undefined ? WITH_ANY_STATUS : WITH_STATUS[status];
    const ofType = event_type === undefined ? '' : ` and d.event_type = $${this.parameters.push(event_type)}`;
    this.selection = `${from} where d.org_id = $1 and d.webhook_id = $2::uuid ${where}${ofType}`;
  }

  /** How many there are. */
  count(): Promise<number> {
    return countRows(this.tx, `select 1 ${this.selection}`, this.parameters);
  }

  /** At most `limit` deliveries, the newest first, those made before the delivery `before`. */
  async newest(limit: number, before?: string): Promise<ShownDelivery[]> {
    const parameters = [...this.parameters];
    const position = before === undefined ? '' : ` and d.id < $${parameters.push(before)}::uuid`;
    const order = `order by d.id desc limit $${parameters.push(limit)}`;
    const rows = await this.tx.query<DeliveryRow>(
      `select ${COLUMNS} ${this.selection}${position} ${order}`,
      parameters,
    );
    return this.withAttempts(rows, ATTEMPTS_IN_LIST);
  }

  /** @throws DeliveryNotFoundError */
  async one(id: string): Promise<ShownDelivery> {
    const parameters = [...this.parameters];
    const sql = `select ${COLUMNS} ${this.selection} and d.id = $${parameters.push(id)}::uuid`;
    const [delivery] = await this.withAttempts(await this.tx.query<DeliveryRow>(sql, parameters), ALL_ATTEMPTS);
    if (!delivery) throw new DeliveryNotFoundError(id);
    return delivery;
  }

  private async withAttempts(rows: readonly DeliveryRow[], latest: number): Promise<ShownDelivery[]> {
    const attempts = await readAttempts(this.tx, this.orgId, rows, latest);
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

  private get tx(): SqlTransaction {
    return sqlOf(this.em);
  }
}
