import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UnavailableError, within } from '#core';
import { isDataFault, isOutage, OrgDatabase } from '#database';
import type { Occurrence } from '#incidents';
import type { DecisionRow } from './decision-row.js';
import type { RecordCompanion } from './record-companion.js';
import { PART_WEIGHT, weightOf } from './record-weight.js';
import { RecordWriter, type RecordEntry } from './record-writer.js';
import { Turns } from './turns.js';

/** A decision that is not written yet, and who waits for it. */
interface Pending extends RecordEntry {
  readonly orgId: string;
  readonly weight: number;
  readonly written?: ((outcome: RecordOutcome) => void) | undefined;
}

/** `known`: it was there already, under its id or its idempotency key. */
type RecordOutcome = 'stored' | 'known' | 'lost';

const FLUSH_AFTER_MS = 50;
/** 1,000 records of one matching policy each, something like 1 MB. */
const BATCH_WEIGHT = 2_000 * PART_WEIGHT;
/** 100,000 records of one matching policy each, something like 100 MB. */
const BUFFER_WEIGHT = 200_000 * PART_WEIGHT;
/** Organizations whose records are written at a time: fewer than there are connections. */
const SIDE_BY_SIDE = 4;
const WAIT_MS = 5_000;
const READER_WAIT_MS = 1_000;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;
const LAST_FLUSH_MS = 10_000;

const NO_VIOLATIONS: readonly Occurrence[] = [];

const BEHIND = 'Decisions cannot be recorded at present, so none are made; try again shortly.';

/**
 * Writes decision records behind the answers, in batches. None is lost while the process lives: when the database is
 * away, records wait and are tried again, and when 100,000 of them wait (fewer where they are large), decisions wait,
 * at most five seconds each, and are then refused. A crash of the process takes the last 50 ms and what had to wait.
 */
@Injectable()
export class DecisionRecorder {
  private readonly logger = new Logger('Governance');
  private readonly pending: Pending[] = [];
  private readonly waiting = new Set<() => void>();
  private pendingWeight = 0;
  private unwrittenWeight = 0;
  /** Records that came in, that were taken out to be written, and up to which one writing cannot wait for the timer. */
  private added = 0;
  private taken = 0;
  private urgent = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;
  private readonly turns = new Turns(SIDE_BY_SIDE);
  /** Groups that are tried again; of those, the ones that nothing else waits for. */
  private failing = 0;
  private readonly aside = new Set<Promise<void>>();
  private giveUpAt = Infinity;

  constructor(
    private readonly database: OrgDatabase,
    private readonly writer: RecordWriter,
  ) {
    database.beforeClose(() => this.close());
  }

  /** Records that are not written yet, those on their way to the database left out. */
  get waitingRecords(): number {
    return this.pending.length;
  }

  /** Notes a record to be written within 50 ms. */
  record(orgId: string, row: DecisionRow): void {
    this.add(orgId, row, NO_VIOLATIONS);
  }

  /**
   * Writes a record and raises its incidents now, together with what else is waiting; false where the record was there before,
   * under its idempotency key, and nothing is told of.
   * @throws UnavailableError where it is not written within five seconds; it may still be written then
   */
  async recordNow(
    orgId: string,
    row: DecisionRow,
    violations: readonly Occurrence[],
    companion?: RecordCompanion,
  ): Promise<boolean> {
    const outcome = new Promise<RecordOutcome>(written => this.add(orgId, row, violations, written, companion));
    // Whoever asks in the same turn shares the statement.
    setImmediate(() => void this.flushAll());
    if ((await orTooLate(WAIT_MS, outcome)) === 'lost') throw new UnavailableError(BEHIND);
    return (await outcome) === 'stored';
  }

  /** Writes a record, as {@link recordNow}, in a running transaction of the organization: it is there when that commits. */
  async recordWithin(em: EntityManager, orgId: string, entry: RecordEntry): Promise<boolean> {
    const stored = await this.writer.write(em, orgId, [entry], { isAwaited: true, isRepeat: false });
    return stored.has(entry.row.id);
  }

  /** Undefined while there is room for records; otherwise wait for it. @throws UnavailableError after five seconds */
  room(): Promise<void> | undefined {
    if (this.unwrittenWeight < BUFFER_WEIGHT) return undefined;
    let done = () => {};
    const free = new Promise<void>(resolve => (done = resolve));
    this.waiting.add(done);
    return orTooLate(WAIT_MS, free).finally(() => this.waiting.delete(done));
  }

  /** Writes what is waiting now, so that a reader finds it. Resolves after a second at the latest. */
  async settle(): Promise<void> {
    if (this.unwrittenWeight === 0) return;
    await orTooLate(READER_WAIT_MS, this.flushAll()).catch(() => undefined);
  }

  private add(
    orgId: string,
    row: DecisionRow,
    violations: readonly Occurrence[],
    written?: (outcome: RecordOutcome) => void,
    companion?: RecordCompanion,
  ): void {
    const weight = weightOf(row, violations.length);
    this.pending.push({ orgId, row, weight, violations, companion, written });
    this.added++;
    this.pendingWeight += weight;
    this.unwrittenWeight += weight;
    if (this.pendingWeight >= BATCH_WEIGHT) void this.flush();
    else this.schedule();
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  private flushAll(): Promise<void> {
    this.urgent = this.added;
    return this.flush();
  }

  /** Never rejects: what cannot be written is tried again, or reported and dropped. */
  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.length === 0) return this.flushing ?? Promise.resolve();
    this.flushing ??= this.drain();
    return this.flushing;
  }

  /** Writes one batch, and goes on while a whole one or an urgent one is left; a few stragglers wait for company. */
  private async drain(): Promise<void> {
    do {
      const batch = Map.groupBy(this.take(), entry => entry.orgId);
      await Promise.all([...batch].map(([orgId, group]) => this.write(orgId, group)));
    } while (this.pendingWeight >= BATCH_WEIGHT || (this.pending.length > 0 && this.taken < this.urgent));
    this.flushing = undefined;
    if (this.pending.length > 0) this.schedule();
  }

  private take(): Pending[] {
    let weight = 0;
    let count = 0;
    while (weight < BATCH_WEIGHT && count < this.pending.length) weight += this.pending[count++]?.weight ?? 0;
    this.pendingWeight -= weight;
    this.taken += count;
    return this.pending.splice(0, count);
  }

  /**
   * Writes a group, or has it tried again. In an outage all wait for that; what else is in the way of one organization
   * must not hold up what the others decide next.
   */
  private async write(orgId: string, group: Pending[], isRepeat = false): Promise<void> {
    const error = await this.attempt(orgId, group, isRepeat);
    if (error === undefined) return;
    const repeats = this.repeat(orgId, group, error);
    if (isOutage(error)) return repeats;
    this.aside.add(repeats);
    void repeats.finally(() => this.aside.delete(repeats));
  }

  /** Why the group is to be tried again; undefined where it is done with. */
  private async attempt(orgId: string, group: Pending[], isRepeat: boolean): Promise<Error | undefined> {
    const options = { isAwaited: group.some(entry => entry.written !== undefined), isRepeat };
    const write = (em: EntityManager) => this.writer.write(em, orgId, group, options);
    try {
      const stored = await this.turns.take(() => this.database.transaction(orgId, write));
      this.release(group, entry => (stored.has(entry.row.id) ? 'stored' : 'known'));
    } catch (error) {
      if (!isDataFault(error)) return error instanceof Error ? error : new Error(String(error), { cause: error });
      await this.writeApart(orgId, group, error);
    }
    return undefined;
  }

  /** A repeat of a commit that was not heard of finds its rows there, and tells of nothing twice. */
  private async repeat(orgId: string, group: Pending[], first: Error): Promise<void> {
    if (this.failing++ === 0)
      this.logger.error(`Decision records wait in memory and are tried again: ${String(first)}`);
    let error: Error | undefined = first;
    for (let pause = RETRY_FIRST_MS; error; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
      if (performance.now() + pause > this.giveUpAt) {
        this.failing--;
        return this.lose(group, error);
      }
      await new Promise(done => setTimeout(done, pause));
      error = await this.attempt(orgId, group, true);
    }
    if (--this.failing === 0) this.logger.log('Decision records are being written again');
  }

  /** One row that PostgreSQL can never take must not hold up the others. */
  private async writeApart(orgId: string, group: Pending[], error: unknown): Promise<void> {
    if (group.length === 1) return this.lose(group, error);
    const middle = group.length >>> 1;
    await this.write(orgId, group.slice(0, middle), true);
    await this.write(orgId, group.slice(middle), true);
  }

  private release(group: Pending[], outcomeOf: (entry: Pending) => RecordOutcome): void {
    for (const entry of group) {
      entry.written?.(outcomeOf(entry));
      this.unwrittenWeight -= entry.weight;
    }
    if (this.unwrittenWeight >= BUFFER_WEIGHT) return;
    for (const done of this.waiting) done();
    this.waiting.clear();
  }

  private lose(group: Pending[], error: unknown): void {
    const ids = group.slice(0, 10).map(entry => entry.row.id);
    this.logger.error(`${group.length} decision records could not be written (${ids.join(', ')}…): ${String(error)}`);
    this.release(group, () => 'lost');
  }

  private async close(): Promise<void> {
    this.giveUpAt = performance.now() + LAST_FLUSH_MS;
    await this.flushAll();
    while (this.aside.size > 0) await Promise.all(this.aside);
  }
}

function orTooLate<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return within(milliseconds, work, () => new UnavailableError(BEHIND));
}
