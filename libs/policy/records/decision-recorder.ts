import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BufferRoom, UnavailableError, within } from '#core';
import { CommitInDoubtError, CommitTooLateError, GroupCommit, OrgDatabase, type CommitAttempt } from '#database';
import { PART_WEIGHT } from '../decide/policy-weight.js';
import type { DecisionRow } from './decision-row.js';
import { RecentDecisions } from './recent-decisions.js';
import { BATCH_WEIGHT } from './record-weight.js';
import { RecordWriter, type RecordEntry, type StoredRecords } from './record-writer.js';

/**
 * Memory limit for all organizations together. A single organization may use half of it: 100,000 records with one
 * matching policy each, about 100 MB.
 */
const BUFFER_WEIGHT = 400_000 * PART_WEIGHT;
/** Memory that every organization may use in any case. */
const LEAST_WEIGHT = 100 * PART_WEIGHT;
/**
 * Maximum number of concurrent transactions for all organizations together. It is lower than the number of connections
 * in the pool.
 */
const TRANSACTIONS = 4;
const LINGER_MS = 50;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;
const WAIT_MS = 5_000;
/**
 * Extends the timeout for large records and many violations. This rate is a tenth of the rate that was measured on two
 * busy cores.
 */
const WEIGHT_PER_MS = 1_000;
const READER_WAIT_MS = 1_000;
const LAST_FLUSH_MS = 10_000;

/** Message if a decision is refused because it cannot be recorded. It was not recorded, and never will be. */
const BEHIND = 'Decisions cannot be recorded at present, so none is made; try again shortly.';

/** It is unknown whether the decisions were recorded. The message contains their ids. */
export class RecordInDoubtError extends UnavailableError {
  constructor(entries: readonly RecordEntry[]) {
    const ids = entries.map(({ row }) => row.id).join(', ');
    super(
      `The database connection was lost during the write, so the decision may be recorded. Retry with the same ` +
        `idempotency_key, or look up GET /v1/decisions/<id> first. Decisions that may be recorded: ${ids}.`,
    );
  }
}

/**
 * Writes decision records in batches, after the responses (write-behind). While the process runs, no record is lost:
 * during an outage of the database, records wait in memory and are retried. Backpressure begins at 100,000 waiting
 * records of an organization, or earlier if records are large or other organizations need the memory. New decisions of
 * the organization then wait for at most five seconds, and are refused after that. A crash of the process loses the
 * records of the last 50 ms, and all waiting records.
 */
@Injectable()
export class DecisionRecorder {
  private readonly logger = new Logger('Governance');
  private readonly buffer = new BufferRoom(BUFFER_WEIGHT, LEAST_WEIGHT);
  /** An item consists of all records of one caller. It is written completely or not at all. */
  private readonly group: GroupCommit<readonly RecordEntry[], StoredRecords>;

  constructor(
    private readonly database: OrgDatabase,
    private readonly writer: RecordWriter,
    /** Decisions whose records may not be written yet. */
    readonly recent: RecentDecisions,
  ) {
    this.group = new GroupCommit({
      commit: (orgId, items, attempt) => this.commit(orgId, items, attempt),
      weightOf: writtenWeight,
      maxWeight: BATCH_WEIGHT,
      concurrency: 1,
      totalConcurrency: TRANSACTIONS,
      room: { buffer: this.buffer, weightOf: heldWeight },
      gathers: true,
      lingerMs: LINGER_MS,
      retry: {
        firstMs: RETRY_FIRST_MS,
        maxMs: RETRY_MAX_MS,
        onOutage: error => this.logger.error(`Decision records wait in memory and will be retried: ${String(error)}`),
        onRecovery: () => this.logger.log('Decision records are being written again'),
      },
      onLost: (_orgId, items, error) => this.reportLost(items.flat(), error),
    });
    database.beforeClose(() => this.group.close(LAST_FLUSH_MS));
  }

  /** Number of queued records. Records in running transactions are not included. */
  get waitingRecords(): number {
    let waiting = 0;
    for (const entries of this.group.waitingItems()) waiting += entries.length;
    return waiting;
  }

  /** Queues a record. It is written within 50 ms. */
  record(orgId: string, entry: RecordEntry): void {
    this.group.put(orgId, [entry]);
  }

  /**
   * Writes records and their effects now, all or none, together with queued records. Returns the new records.
   * @throws UnavailableError if they are not written within five seconds, or longer for large records. Then none is
   * written, now or later
   * @throws RecordInDoubtError if the connection was lost during the commit
   */
  async recordAllNow(orgId: string, entries: readonly RecordEntry[]): Promise<StoredRecords> {
    const ahead = this.group.awaitedWeight(orgId) + writtenWeight(entries);
    try {
      return await this.group.add(orgId, entries, WAIT_MS + Math.floor(ahead / WEIGHT_PER_MS));
    } catch (error) {
      if (error instanceof CommitInDoubtError) throw new RecordInDoubtError(entries);
      if (!(error instanceof CommitTooLateError)) this.reportLost(entries, error);
      throw new UnavailableError(BEHIND);
    }
  }

  /**
   * Writes a record and its effects in a running transaction of the organization. They exist after that transaction
   * commits. Returns the written record; undefined if its idempotency key was already used.
   */
  async recordWithin(em: EntityManager, orgId: string, entry: RecordEntry): Promise<DecisionRow | undefined> {
    const stored = await this.writer.write(em, orgId, [entry], { isAwaited: true, isRepeat: false });
    return stored.get(entry.row.id);
  }

  /**
   * Undefined if the organization has room for records now. Otherwise a promise that resolves when it has.
   * @throws UnavailableError after five seconds
   */
  room(orgId: string): Promise<void> | undefined {
    if (this.buffer.isFree(orgId)) return undefined;
    let leave = () => {};
    const free = new Promise<void>(resolve => (leave = this.buffer.wait(orgId, resolve)));
    return orTooLate(WAIT_MS, free).finally(leave);
  }

  /**
   * Writes the queued records of one organization or of all, so that a reader finds them. Resolves after a second at
   * the latest.
   */
  async settle(orgId?: string): Promise<void> {
    await orTooLate(READER_WAIT_MS, this.group.flush(orgId)).catch(() => undefined);
  }

  private commit(
    orgId: string,
    items: readonly (readonly RecordEntry[])[],
    attempt: CommitAttempt,
  ): Promise<StoredRecords[]> {
    return this.database.transaction(orgId, async em => {
      const stored = await this.writer.write(em, orgId, items.flat(), attempt);
      attempt.seal();
      return items.map(() => stored);
    });
  }

  private reportLost(entries: readonly RecordEntry[], error: unknown): void {
    const some = entries.slice(0, 10).map(({ row }) => row.id);
    this.logger.error(
      `${entries.length} decision records could not be written (${some.join(', ')}…): ${String(error)}`,
    );
  }
}

function orTooLate<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return within(milliseconds, work, () => new UnavailableError(BEHIND));
}

function writtenWeight(entries: readonly RecordEntry[]): number {
  let sum = 0;
  for (const { weight } of entries) sum += weight.written;
  return sum;
}

function heldWeight(entries: readonly RecordEntry[]): number {
  let sum = 0;
  for (const { weight } of entries) sum += weight.held;
  return sum;
}
