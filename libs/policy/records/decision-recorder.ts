import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BufferRoom, UnavailableError, within } from '#core';
import { CommitInDoubtError, CommitTooLateError, GroupCommit, OrgDatabase, type CommitAttempt } from '#database';
import { PART_WEIGHT } from '../decide/policy-weight.js';
import type { DecisionRow } from './decision-row.js';
import { BATCH_WEIGHT } from './record-weight.js';
import { RecordWriter, type RecordEntry, type StoredRecords } from './record-writer.js';

/** Of all organizations; one alone may take half: 100,000 records of one matching policy each, something like 100 MB. */
const BUFFER_WEIGHT = 400_000 * PART_WEIGHT;
/** What an organization may hold whatever the others do. */
const LEAST_WEIGHT = 100 * PART_WEIGHT;
/** Transactions of all organizations at a time: fewer than there are connections. */
const TRANSACTIONS = 4;
const LINGER_MS = 50;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;
const WAIT_MS = 5_000;
/** Large records, and many violations, are waited for longer: this is a tenth of what was measured on two busy cores. */
const WEIGHT_PER_MS = 1_000;
const READER_WAIT_MS = 1_000;
const LAST_FLUSH_MS = 10_000;

/** Decisions cannot be made now; nothing of what was asked for has been recorded, and nothing will be. */
const BEHIND = 'Decisions cannot be recorded at present, so none are made; try again shortly.';

/** Whether decisions were recorded is not known; the answer names them. */
export class RecordInDoubtError extends UnavailableError {
  constructor(entries: readonly RecordEntry[]) {
    const ids = entries.map(({ row }) => row.id).join(', ');
    super(
      `The database was lost while it took the record, so it may be there: look up GET /v1/decisions/<id> before you ask again, unless you repeat an idempotency_key. Decisions that may be recorded: ${ids}.`,
    );
  }
}

/**
 * Writes decision records behind the answers, in batches. None is lost while the process lives: when the database is
 * away, records wait and are tried again, and when 100,000 of an organization wait (fewer where they are large, or where
 * other organizations need the room), its decisions wait, at most five seconds each, and are then refused. A crash of the
 * process takes the last 50 ms and what had to wait.
 */
@Injectable()
export class DecisionRecorder {
  private readonly logger = new Logger('Governance');
  private readonly buffer = new BufferRoom(BUFFER_WEIGHT, LEAST_WEIGHT);
  /** An item is all that one caller records together: it is written as a whole, or not at all. */
  private readonly group: GroupCommit<readonly RecordEntry[], StoredRecords>;

  constructor(
    private readonly database: OrgDatabase,
    private readonly writer: RecordWriter,
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
        onOutage: error => this.logger.error(`Decision records wait in memory and are tried again: ${String(error)}`),
        onRecovery: () => this.logger.log('Decision records are being written again'),
      },
      onLost: (_orgId, items, error) => this.reportLost(items.flat(), error),
    });
    database.beforeClose(() => this.group.close(LAST_FLUSH_MS));
  }

  /** Records that are not written yet, those on their way to the database left out. */
  get waitingRecords(): number {
    let waiting = 0;
    for (const entries of this.group.waitingItems()) waiting += entries.length;
    return waiting;
  }

  /** Notes a record to be written within 50 ms. */
  record(orgId: string, entry: RecordEntry): void {
    this.group.put(orgId, [entry]);
  }

  /**
   * Writes records with all that goes with them now, all or none, together with what else is waiting; returns those that
   * were not there before.
   * @throws UnavailableError where they are not written within five seconds, and longer where they are large: then none
   *   of them is, now or later
   * @throws RecordInDoubtError where the database was lost just when it took them
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
   * Writes a record with all that goes with it in a running transaction of the organization: it is there when that
   * commits. Returns it as it was written; undefined where its idempotency key was taken.
   */
  async recordWithin(em: EntityManager, orgId: string, entry: RecordEntry): Promise<DecisionRow | undefined> {
    const stored = await this.writer.write(em, orgId, [entry], { isAwaited: true, isRepeat: false });
    return stored.get(entry.row.id);
  }

  /**
   * Undefined while there is room for records of an organization; otherwise wait for it.
   * @throws UnavailableError after five seconds
   */
  room(orgId: string): Promise<void> | undefined {
    if (this.buffer.isFree(orgId)) return undefined;
    let leave = () => {};
    const free = new Promise<void>(resolve => (leave = this.buffer.wait(orgId, resolve)));
    return orTooLate(WAIT_MS, free).finally(leave);
  }

  /** Writes what is waiting now, of one organization or of all, so that a reader finds it. Resolves after a second at the latest. */
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
