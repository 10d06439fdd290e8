import { Injectable } from '@nestjs/common';
import { Clock, UserDirectory, type DirectoryUser, type PricingCatalog, type SqlTransaction } from '#core';
import { hostSql, OrgDatabase, type HostTransaction } from '#database';
import {
  eventFingerprint,
  parseUsageEvent,
  type EventRefusal,
  type EventTimeLimits,
  type ParsedUsageEvent,
  type RawEvent,
} from '../events/index.js';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import { priceEvent } from '../prices/index.js';
import { type EventCost, type EventOutcome, type PricedEvent, STATED_COST } from './priced-event.js';
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
}

/**
 * How a batch is taken. With `em` or `tx`, a running transaction of the host's, the events count when that transaction
 * commits, and only then. It works for this organization from here on (row-level security).
 */
export interface RecordOptions extends HostTransaction {
  /** How far from now events may lie. Default: 90 days back, 5 minutes ahead. */
  limits?: EventTimeLimits;
}

/** Takes usage events: checks them, finds their people, prices them, stores them and their rollups in one transaction. */
@Injectable()
export class UsageIngestion {
  constructor(
    private readonly users: UserDirectory,
    private readonly prices: OrganizationPrices,
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
    const priced = await this.price(orgId, parsed, rejected);
    const outcomes = await this.write(
      orgId,
      priced.map(({ event }) => event),
      host,
    );
    const receipt = { accepted: 0, duplicates: 0, rejected };
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome === 'accepted') receipt.accepted++;
      else if (outcome === 'duplicate') receipt.duplicates++;
      else rejected.push(conflictOf(priced[at]));
    }
    rejected.sort((a, b) => a.index - b.index);
    this.metrics.count(receipt);
    return receipt;
  }

  private parse(events: readonly RawEvent[], limits: EventTimeLimits | undefined, rejected: RejectedEvent[]): Parsed[] {
    const now = this.clock.now();
    const parsed: Parsed[] = [];
    for (const entry of events) {
      const { index } = entry;
      const result =
        'refusal' in entry ? { ok: false as const, ...entry.refusal } : parseUsageEvent(entry.raw, now, limits);
      if (result.ok) parsed.push({ index, event: result.event });
      else rejected.push({ index, id: result.id, field: result.field, message: result.message });
    }
    return parsed;
  }

  private async price(orgId: string, parsed: readonly Parsed[], rejected: RejectedEvent[]): Promise<Priced[]> {
    if (parsed.length === 0) return [];
    const [catalog, people] = await Promise.all([
      this.prices.of(orgId),
      this.users.find(
        orgId,
        parsed.map(({ event }) => referenceOf(event)),
      ),
    ]);
    return parsed.flatMap(({ index, event }, at) => {
      const user = people[at];
      if (user) return [{ index, event: pricedEvent(event, user, catalog) }];
      const field = event.userId === null ? 'user_email' : 'user_id';
      rejected.push({
        index,
        id: event.id,
        field,
        message: 'names no user of your organization; create the user first',
      });
      return [];
    });
  }

  private async write(orgId: string, events: PricedEvent[], host: SqlTransaction | undefined): Promise<EventOutcome[]> {
    if (host) return this.writer.writeWithin(await this.database.join(host, orgId), orgId, events);
    return events.length === 0 ? [] : this.writer.write(orgId, events);
  }
}

interface Parsed {
  index: number;
  event: ParsedUsageEvent;
}

interface Priced {
  index: number;
  event: PricedEvent;
}

function referenceOf({ userId, userEmail }: ParsedUsageEvent): { user_id?: string; user_email?: string } {
  if (userId !== null) return { user_id: userId };
  return userEmail === null ? {} : { user_email: userEmail };
}

function pricedEvent(event: ParsedUsageEvent, user: DirectoryUser, catalog: PricingCatalog): PricedEvent {
  const { id: userId, department } = user;
  return { ...event, userId, department, cost: costOf(event, catalog), fingerprint: eventFingerprint(event) };
}

function costOf(event: ParsedUsageEvent, catalog: PricingCatalog): EventCost {
  if (event.costPicodollars !== null) return { picodollars: event.costPicodollars, source: STATED_COST, version: null };
  return priceEvent(catalog, event) ?? { picodollars: null, source: null, version: null };
}

const CONFLICT =
  'conflict: an event with this id and other content is stored already; send a correction under a new id';

function conflictOf(priced: Priced | undefined): RejectedEvent {
  return { index: priced?.index ?? 0, id: priced?.event.id ?? null, field: 'id', message: CONFLICT };
}

/** Whether an event was rejected because another content is stored under its id. */
export function isConflict({ message }: RejectedEvent): boolean {
  return message === CONFLICT;
}
