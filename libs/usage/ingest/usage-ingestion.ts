import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { hostSql, OrgDatabase, sqlOf, type HostTransaction } from '#database';
import { parseUsageEvent, type EventRefusal, type EventTimeLimits, type RawEvent } from '../events/index.js';
import { EventPreparation, type IndexedEvent, type PreparedEvent } from './event-preparation.js';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { MAX_EVENTS_AT_ONCE } from './rollup.js';
import type { UsageReporter } from './usage-reporter.js';
import { UsageMetrics } from './usage-metrics.js';
import { UsageWriter } from './usage-writer.js';

/** A rejected event. */
export interface RejectedEvent extends EventRefusal {
  /** Index of the event in the batch, counted from 0. */
  index: number;
}

/** Result of a batch. Valid events are stored even if others are rejected. */
export interface UsageReceipt {
  accepted: number;
  /** Number of events that were already stored with the same content. */
  duplicates: number;
  rejected: RejectedEvent[];
  /**
   * Projects and tags of stored events that reports count as `(other)`, with the reason: at most 10. Absent if there
   * are none.
   */
  notes?: UsageNote[];
}

/**
 * A project or tag beyond the number that reports distinguish. The event is stored with this value, and its cost is
 * counted.
 */
export interface UsageNote {
  /** Index of the event in the batch, from 0. */
  index: number;
  field: string;
  message: string;
}

/**
 * Options of ingestion. `em` or `tx` is a running transaction of the host: the events count when that transaction
 * commits. The call binds the transaction to this organization (row-level security).
 */
export interface RecordOptions extends HostTransaction {
  /** Allowed distance of events from now. Default: 90 days back, 5 minutes ahead. */
  limits?: EventTimeLimits;
  /**
   * Who reports the usage: one reporter for all events, or a function that returns the reporter of the event at an
   * index. Usage of a decision counts for the token that requested the decision. Other usage counts for the token that
   * reports it.
   */
  reporter?: UsageReporter | ((index: number) => UsageReporter | undefined);
}

const NOBODY: UsageReporter = {};

/** Maximum number of warnings in one result. Events in a batch usually have the same fault. */
const NOTES_MAX = 10;

/**
 * Ingests usage events: checks them, finds their users, prices them, and stores them with their rollups in one
 * transaction.
 */
@Injectable()
export class UsageIngestion {
  constructor(
    private readonly preparation: EventPreparation,
    private readonly writer: UsageWriter,
    private readonly clock: Clock,
    private readonly metrics: UsageMetrics,
    private readonly database: OrgDatabase,
  ) {}

  /**
   * Records usage events in the form of `POST /v1/usage/events`. The id is an idempotency key: an event with the same
   * id and the same content is a duplicate, and one with other content is a conflict. If an event has both user_id and
   * user_email, the id alone names the user, even if the two differ.
   * @throws RangeError for more than 8,000 events. Rejects without storing anything if the database or the user
   * directory cannot be reached, or too many events wait. You can safely send the same events again.
   */
  record(orgId: string, events: readonly unknown[], options: RecordOptions = {}): Promise<UsageReceipt> {
    return this.recordRaw(
      orgId,
      events.map((raw, index) => ({ raw, index })),
      options,
    );
  }

  /** Records events. Some of them may already be refused because of an invalid envelope. */
  async recordRaw(orgId: string, events: readonly RawEvent[], options: RecordOptions = {}): Promise<UsageReceipt> {
    if (events.length > MAX_EVENTS_AT_ONCE) throw new RangeError(`record at most ${MAX_EVENTS_AT_ONCE} events at once`);
    const host = hostSql(options);
    const em = host && (await this.database.join(host, orgId));
    const rejected: RejectedEvent[] = [];
    const parsed = this.parse(events, options.limits, rejected);
    const { reporter } = options;
    const reporterAt = (index: number) => (typeof reporter === 'function' ? reporter(index) : reporter) ?? NOBODY;
    const priced = await this.preparation.prepare(orgId, parsed, reporterAt, rejected, em && sqlOf(em));
    const outcomes = await this.write(
      orgId,
      priced.map(({ event }) => event),
      em,
    );
    const receipt: UsageReceipt = { accepted: 0, duplicates: 0, rejected };
    const notes = notesOf(priced);
    if (notes.length > 0) receipt.notes = notes;
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome === 'accepted') receipt.accepted++;
      else if (outcome === 'duplicate') receipt.duplicates++;
      else rejected.push(conflictOf(priced[at]));
    }
    rejected.sort((a, b) => a.index - b.index);
    this.metrics.count(receipt);
    return receipt;
  }

  private parse(
    events: readonly RawEvent[],
    limits: EventTimeLimits | undefined,
    rejected: RejectedEvent[],
  ): IndexedEvent[] {
    const now = this.clock.now();
    const parsed: IndexedEvent[] = [];
    for (const entry of events) {
      const { index } = entry;
      const result =
        'refusal' in entry ? { ok: false as const, ...entry.refusal } : parseUsageEvent(entry.raw, now, limits);
      if (result.ok) parsed.push({ index, event: result.event });
      else rejected.push({ index, id: result.id, field: result.field, message: result.message });
    }
    return parsed;
  }

  private async write(orgId: string, events: PricedEvent[], em: EntityManager | undefined): Promise<EventOutcome[]> {
    if (em) return this.writer.writeWithin(em, orgId, events);
    return events.length === 0 ? [] : this.writer.write(orgId, events);
  }
}

/** The first warnings, up to the maximum. */
function notesOf(prepared: readonly PreparedEvent[]): UsageNote[] {
  const notes: UsageNote[] = [];
  for (const { index, event } of prepared) {
    if (notes.length >= NOTES_MAX) break;
    for (const { field, message } of event.attribution.notes) notes.push({ index, field, message });
  }
  return notes.slice(0, NOTES_MAX);
}

const CONFLICT = 'conflict: this id is already stored with other content; send a correction under a new id';

function conflictOf(priced: PreparedEvent | undefined): RejectedEvent {
  return { index: priced?.index ?? 0, id: priced?.event.id ?? null, field: 'id', message: CONFLICT };
}

/** Whether an event was rejected because its id is stored with other content. */
export function isConflict({ message }: RejectedEvent): boolean {
  return message === CONFLICT;
}
