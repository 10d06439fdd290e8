import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, newId } from '#core';
import { bytesArray, plainArray, prepared, SCHEMA, sqlOf } from '#database';
import { encodeEvent, wireEventId, type EventDataOf, type SentEventType } from '../events/index.js';
import { assertTransaction } from '../tasks/task-queue.js';

/** An event to emit. */
export type NewEvent<T extends SentEventType = SentEventType> = { [K in T]: { type: K; data: EventDataOf[K] } }[T];

/** A stored event. */
export interface FiredEvent {
  /** UUID of version 7. */
  readonly id: string;
  /** The id in the sent event: `evt_…`. */
  readonly wireId: string;
  readonly type: SentEventType;
  readonly createdAt: Date;
  readonly orgId: string;
  /** The encoded event: the bytes that are signed and sent. */
  readonly body: Buffer;
}

/** Handles events in the transaction that stores them. */
export interface EventConsumer {
  /** Called with the events of one `fire`. May write rows and add tasks. Must not call other systems. */
  accept(em: EntityManager, orgId: string, events: readonly FiredEvent[]): Promise<void>;
}

const INSERT = prepared(
  'store_events',
  `
insert into ${SCHEMA}.events (org_id, id, type, created_at, body)
select $1, e.* from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::bytea[]) as e (id, type, created_at, body)`,
);

/** Stores events in the transaction of the change that causes them. */
@Injectable()
export class EventOutbox {
  private readonly consumers: EventConsumer[] = [];

  constructor(private readonly clock: Clock) {}

  /** Adds a consumer. Call it while the module is initialized. */
  addConsumer(consumer: EventConsumer): void {
    this.consumers.push(consumer);
  }

  /**
   * Stores events and calls the consumers, all in the caller's transaction. Delivery begins after the commit.
   * @throws Error outside a transaction
   */
  async fire(em: EntityManager, orgId: string, events: readonly NewEvent[]): Promise<FiredEvent[]> {
    const fired = await this.store(em, orgId, events);
    if (fired.length > 0) for (const consumer of this.consumers) await consumer.accept(em, orgId, fired);
    return fired;
  }

  /**
   * Stores events without calling consumers. For events with a single receiver.
   * @throws Error outside a transaction
   */
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
