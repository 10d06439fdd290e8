import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, newId } from '#core';
import { bytesArray, plainArray, prepared, SCHEMA, sqlOf } from '#database';
import { encodeEvent, wireEventId, type EventDataOf, type SentEventType } from '../events/index.js';
import { assertTransaction } from '../tasks/task-queue.js';

/** Something that has happened. */
export type NewEvent<T extends SentEventType = SentEventType> = { [K in T]: { type: K; data: EventDataOf[K] } }[T];

/** An event as it was stored. */
export interface FiredEvent {
  /** UUID of version 7. */
  readonly id: string;
  /** As it stands in the envelope: `evt_…`. */
  readonly wireId: string;
  readonly type: SentEventType;
  readonly createdAt: Date;
  readonly orgId: string;
  /** The envelope, in the bytes that are signed and sent. */
  readonly body: Buffer;
}

/** Takes events on: makes what follows from them, in the transaction that stores them. */
export interface EventConsumer {
  /** Called with what was fired together. Writes rows and adds tasks; nothing outside is touched here. */
  accept(em: EntityManager, orgId: string, events: readonly FiredEvent[]): Promise<void>;
}

const INSERT = prepared(
  'store_events',
  `
insert into ${SCHEMA}.events (org_id, id, type, created_at, body)
select $1, e.* from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::bytea[]) as e (id, type, created_at, body)`,
);

/** Where events enter: with the change that they tell of, or not at all. */
@Injectable()
export class EventOutbox {
  private readonly consumers: EventConsumer[] = [];

  constructor(private readonly clock: Clock) {}

  /** Adds a consumer; to be called while the module is initialised. */
  addConsumer(consumer: EventConsumer): void {
    this.consumers.push(consumer);
  }

  /**
   * Stores events and all that follows from them in the caller's transaction: they exist when it commits, and only
   * then. Sending begins after the commit.
   * @throws Error outside a transaction
   */
  async fire(em: EntityManager, orgId: string, events: readonly NewEvent[]): Promise<FiredEvent[]> {
    const fired = await this.store(em, orgId, events);
    if (fired.length > 0) for (const consumer of this.consumers) await consumer.accept(em, orgId, fired);
    return fired;
  }

  /** Stores events without telling anybody: for one that is meant for a single receiver. @throws Error outside a transaction */
  async store(em: EntityManager, orgId: string, events: readonly NewEvent[]): Promise<FiredEvent[]> {
    assertTransaction(em);
    if (events.length === 0) return [];
    const fired = events.map(event => this.encode(orgId, event));
    await sqlOf(em).query(INSERT, [
      orgId,
      plainArray(fired, event => event.id),
      plainArray(fired, event => event.type),
      plainArray(fired, event => event.createdAt.toISOString()),
      bytesArray(fired, event => event.body.toString('hex')),
    ]);
    return fired;
  }

  private encode(orgId: string, { type, data }: NewEvent): FiredEvent {
    const createdAt = this.clock.now();
    const id = newId(createdAt);
    const body = encodeEvent({ id, type, createdAt, orgId, data });
    return { id, wireId: wireEventId(id, type), type, createdAt, orgId, body };
  }
}
