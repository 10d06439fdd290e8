import { Logger } from '@nestjs/common';
import { isDataFault, isOutage } from '#database';
import type { PendingRecords } from './pending-records.js';
import { RecordQueue } from './record-queue.js';
import { AbandonedError, type RecordTransactions } from './record-transactions.js';
import { BATCH_WEIGHT } from './record-weight.js';
import type { StoredRecords } from './record-writer.js';
import { Turns } from './turns.js';

const FLUSH_AFTER_MS = 50;
/** Statements of one organization at a time: the next ones beside one that is tried again, and never all there are. */
const SIDE_BY_SIDE = 2;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;

/** What the lanes of a process share. */
export interface LaneContext {
  readonly transactions: Pick<RecordTransactions, 'write'>;
  /** Groups that are being tried again. */
  failing: number;
  /** When nothing is tried again any more, by `performance.now()`. */
  giveUpAt: number;
  /** Called when records are written, given up, or not wanted any more. */
  released(orgId: string, pending: PendingRecords): void;
}

/** The way of one organization's records to the database. What is in the way of one does not hold up another. */
export class RecordLane {
  private readonly logger = new Logger('Governance');
  private readonly queue = new RecordQueue();
  private readonly turns = new Turns(SIDE_BY_SIDE);
  /** Groups that are tried again and that nothing else waits for. */
  private readonly aside = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;
  private awaitedWeight = 0;

  constructor(
    private readonly orgId: string,
    private readonly context: LaneContext,
  ) {}

  /** Records that are not on their way yet. */
  get waiting(): number {
    return this.queue.length;
  }

  /** What it takes to write all that somebody waits for. */
  get awaited(): number {
    return this.awaitedWeight;
  }

  /** Whether there is nothing to do, now or later. */
  get isIdle(): boolean {
    return this.queue.length === 0 && !this.flushing && this.aside.size === 0;
  }

  add(pending: PendingRecords): void {
    this.queue.add(pending);
    if (pending.isAwaited) this.awaitedWeight += pending.weight.written;
    if (this.queue.written >= BATCH_WEIGHT) void this.flush();
    else this.schedule();
  }

  /** Takes back what nobody waits for any more, unless it is being written: then that comes to nothing. */
  abandon(pending: PendingRecords): void {
    if (this.queue.drop(pending)) this.release(pending);
  }

  /** Writes all that is there now, in a moment. */
  flushAll(): Promise<void> {
    this.queue.hurry();
    return this.flush();
  }

  /** Resolves when nothing is tried again any more. */
  async close(): Promise<void> {
    await this.flushAll();
    while (this.aside.size > 0) await Promise.all(this.aside);
  }

  /** Never rejects: what cannot be written is tried again, or reported and dropped. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.queue.length === 0) return this.flushing ?? Promise.resolve();
    this.flushing ??= this.drain();
    return this.flushing;
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Writes one batch, and goes on while a whole one or an urgent one is left; a few stragglers wait for company. */
  private async drain(): Promise<void> {
    do await this.write(this.queue.take(BATCH_WEIGHT));
    while (this.queue.written >= BATCH_WEIGHT || this.queue.isUrgent);
    this.flushing = undefined;
    if (this.queue.length > 0) this.schedule();
  }

  /**
   * Writes a group, or has it tried again. In an outage what comes later waits for that; what else is in the way of
   * these records must not hold up what is decided next.
   */
  private async write(group: readonly PendingRecords[], isRepeat = false): Promise<void> {
    const error = await this.attempt(group, isRepeat);
    if (error === undefined) return;
    const repeats = this.repeat(group, error);
    if (isOutage(error)) return repeats;
    this.aside.add(repeats);
    void repeats.finally(() => this.aside.delete(repeats));
  }

  /** Why the group is to be tried again; undefined where it is done with. */
  private async attempt(group: readonly PendingRecords[], isRepeat: boolean): Promise<Error | undefined> {
    for (;;) {
      const wanted = this.wantedOf(group);
      if (wanted.length === 0) return undefined;
      try {
        const stored = await this.turns.take(() => this.context.transactions.write(this.orgId, wanted, isRepeat));
        for (const pending of wanted) this.release(pending, stored);
        return undefined;
      } catch (error) {
        if (error instanceof AbandonedError) continue;
        if (!isDataFault(error)) return error instanceof Error ? error : new Error(String(error), { cause: error });
        await this.writeApart(wanted, error);
        return undefined;
      }
    }
  }

  /** Those of a group that are still to be written. */
  private wantedOf(group: readonly PendingRecords[]): readonly PendingRecords[] {
    if (!group.some(({ isAbandoned }) => isAbandoned)) return group;
    for (const pending of group) if (pending.isAbandoned) this.release(pending);
    return group.filter(({ isAbandoned }) => !isAbandoned);
  }

  /** A repeat of a commit that was not heard of finds its rows there, and tells of nothing twice. */
  private async repeat(group: readonly PendingRecords[], first: Error): Promise<void> {
    const { context } = this;
    if (context.failing++ === 0) {
      this.logger.error(`Decision records wait in memory and are tried again: ${String(first)}`);
    }
    let error: Error | undefined = first;
    for (let pause = RETRY_FIRST_MS; error; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
      if (performance.now() + pause > context.giveUpAt) {
        context.failing--;
        return this.lose(group, error);
      }
      await new Promise(done => setTimeout(done, pause));
      error = await this.attempt(group, true);
    }
    if (--context.failing === 0) this.logger.log('Decision records are being written again');
  }

  /** One row that PostgreSQL can never take must not hold up the others. */
  private async writeApart(group: readonly PendingRecords[], error: unknown): Promise<void> {
    if (group.length === 1) return this.lose(group, error);
    const middle = group.length >>> 1;
    await this.write(group.slice(0, middle), true);
    await this.write(group.slice(middle), true);
  }

  private lose(group: readonly PendingRecords[], error: unknown): void {
    const ids = group.flatMap(({ entries }) => entries.map(({ row }) => row.id));
    const some = ids.slice(0, 10).join(', ');
    this.logger.error(`${ids.length} decision records could not be written (${some}…): ${String(error)}`);
    for (const pending of group) this.release(pending);
  }

  private release(pending: PendingRecords, stored?: StoredRecords): void {
    if (pending.isReleased) return;
    pending.isReleased = true;
    if (pending.isAwaited) this.awaitedWeight -= pending.weight.written;
    pending.done(stored);
    this.context.released(this.orgId, pending);
  }
}
