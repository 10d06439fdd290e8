import { Injectable } from '@nestjs/common';
import { Clock, type SqlTransaction } from '#core';
import { hostSql, OrgDatabase, type HostTransaction } from '#database';
import { parseUsageEvent, type EventRefusal, type EventTimeLimits, type RawEvent } from '../events/index.js';
import { EventPreparation, type IndexedEvent, type PreparedEvent } from './event-preparation.js';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { MAX_EVENTS_AT_ONCE } from './rollup.js';
import { UsageMetrics } from './usage-metrics.js';
import { UsageWriter } from './usage-writer.js';

/** One event that was not taken. */
export interface RejectedEvent extends EventRefusal {
  /** Its place in the batch, from 0. */
  index: number;
}

/** What became of a batch: the valid events are stored, whatever the others. */
export interface UsageReceipt {
  accepted: number;
  /** Events that were stored before, with the same content. */
  duplicates: number;
  rejected: RejectedEvent[];
  /** Which projects and tags of stored events count as `(other)`, and why: at most 10. Missing where none do. */
  notes?: UsageNote[];
}

/** A project or tag that is one too many for reports to tell apart. The event is stored with it, and its cost counts. */
export interface UsageNote {
  /** Place of the event in the batch, from 0. */
  index: number;
  field: string;
  message: string;
}

/**
 * How a batch is taken. With `em` or `tx`, a running transaction of the host's, the events count when that transaction
 * commits, and only then. It works for this organization from here on (row-level security).
 */
export interface RecordOptions extends HostTransaction {
  /** How far from now events may lie. Default: 90 days back, 5 minutes ahead. */
  limits?: EventTimeLimits;
  /** Id of the access token that reports the usage: it counts for events whose decision names none. */
  tokenId?: string;
}

/** One is mostly like the others. */
const NOTES_MAX = 10;

/** Takes usage events: checks them, finds their people, prices them, stores them and their rollups in one transaction. */
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
   * Records usage events in the form of `POST /v1/usage/events`. An event counts once, however often and wherever it
   * is sent: the same id with the same content is a duplicate, with other content a conflict. Where an event names both
   * user_id and user_email, the id alone says who it was, even if the address is somebody else's.
   * @throws RangeError for more than 8,000 events. Rejects without having stored anything where the database or the
   * user directory cannot be reached, or too many events wait; sending the same events again is safe.
   */
  record(orgId: string, events: readonly unknown[], options: RecordOptions = {}): Promise<UsageReceipt> {
    return this.recordRaw(
      orgId,
      events.map((raw, index) => ({ raw, index })),
      options,
    );
  }

  /** The same for events of which some were refused already because of their envelope. */
  async recordRaw(orgId: string, events: readonly RawEvent[], options: RecordOptions = {}): Promise<UsageReceipt> {
    if (events.length > MAX_EVENTS_AT_ONCE) throw new RangeError(`record at most ${MAX_EVENTS_AT_ONCE} events at once`);
    const host = hostSql(options);
    const rejected: RejectedEvent[] = [];
    const parsed = this.parse(events, options.limits, rejected);
    const priced = await this.preparation.prepare(orgId, parsed, options.tokenId ?? null, rejected);
    const outcomes = await this.write(
      orgId,
      priced.map(({ event }) => event),
      host,
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

  private async write(orgId: string, events: PricedEvent[], host: SqlTransaction | undefined): Promise<EventOutcome[]> {
    if (host) return this.writer.writeWithin(await this.database.join(host, orgId), orgId, events);
    return events.length === 0 ? [] : this.writer.write(orgId, events);
  }
}

/** The first ones. */
function notesOf(prepared: readonly PreparedEvent[]): UsageNote[] {
  const notes: UsageNote[] = [];
  for (const { index, event } of prepared) {
    if (notes.length >= NOTES_MAX) break;
    for (const { field, message } of event.attribution.notes) notes.push({ index, field, message });
  }
  return notes.slice(0, NOTES_MAX);
}

const CONFLICT =
  'conflict: an event with this id and other content is stored already; send a correction under a new id';

function conflictOf(priced: PreparedEvent | undefined): RejectedEvent {
  return { index: priced?.index ?? 0, id: priced?.event.id ?? null, field: 'id', message: CONFLICT };
}

/** Whether an event was rejected because another content is stored under its id. */
export function isConflict({ message }: RejectedEvent): boolean {
  return message === CONFLICT;
}
