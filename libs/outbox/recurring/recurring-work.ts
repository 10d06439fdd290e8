import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase } from '#database';
import { OUTBOX_OPTIONS, type OutboxOptions } from '../outbox.options.js';

/** Something that every replica looks after again and again, and that does no harm when two do. */
export interface Chore {
  /** Milliseconds from one look to the next. */
  readonly everyMs: number;
  /** The first look comes at the start, and not after the first interval. */
  readonly isDueAtStart?: boolean;
  /** What the log says where it fails, as the beginning of a sentence. */
  readonly failure: string;
  /** Does a piece of the work, of a few seconds at most, and answers how much that was; called again until it is nothing. */
  readonly round: () => Promise<number>;
}

/**
 * Looks after what is to be done again and again, where this process works in the background. One look at a time for
 * each chore; what is under way at the end is finished, up to its round.
 */
@Injectable()
export class RecurringWork implements OnApplicationBootstrap {
  private readonly logger = new Logger('Governance');
  private readonly chores: { chore: Chore; look: () => Promise<number> }[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<Chore, Promise<number>>();
  private isStopped = false;

  constructor(
    @Inject(OrgDatabase) database: Pick<OrgDatabase, 'beforeClose'>,
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
  ) {
    database.beforeClose(() => this.stop());
  }

  /**
   * Adds a chore. To be called in a constructor. The function that comes back does at once all there is to do, also where
   * no background work is done, and answers how much that was; who calls it meanwhile shares the look, and its failure.
   */
  add(chore: Chore): () => Promise<number> {
    const look = (): Promise<number> => {
      const running = this.running.get(chore) ?? this.work(chore).finally(() => this.running.delete(chore));
      this.running.set(chore, running);
      return running;
    };
    this.chores.push({ chore, look });
    return look;
  }

  /** Looks from now on, where this process works in the background. */
  onApplicationBootstrap(): void {
    if (this.options.workers === false) return;
    for (const { chore, look } of this.chores) {
      const tick = (): void => void look().catch(error => this.report(chore, error));
      this.timers.push(setInterval(tick, chore.everyMs).unref());
      if (chore.isDueAtStart) tick();
    }
  }

  /** Ends it; waits for the rounds that are under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.allSettled(this.running.values());
  }

  private async work({ round }: Chore): Promise<number> {
    let sum = 0;
    for (let done = 1; done > 0 && !this.isStopped; sum += done) done = await round();
    return sum;
  }

  private report({ failure, everyMs }: Chore, error: unknown): void {
    this.logger.warn(`${failure}; the next try is in ${everyMs / 1_000} s: ${messageOf(error)}`);
  }
}
