import { UnavailableError } from '#core';

/** Additional milliseconds for a commit that is running when the time limit of its items ends. */
const COMMIT_MS = 2_000;

/** The item was not written within its time limit. It is withdrawn and will never be written. */
export class CommitTooLateError extends UnavailableError {
  constructor() {
    super('The database did not take it in time; nothing is written. Try again shortly.');
  }
}

/** The connection was lost during the commit, or the commit takes too long. The item may have been written. */
export class CommitInDoubtError extends UnavailableError {
  constructor() {
    super('The database was lost while it took this, so it may be written. Look before you try again.');
  }
}

/** State of an item that can be withdrawn. */
interface TimeLimit {
  timer: NodeJS.Timeout;
  /** The caller has given up waiting, so the item must not be written. */
  isWithdrawn: boolean;
  /** A running commit contains the item. */
  isCommitting: boolean;
  /** A commit that contained the item was not confirmed. */
  isInDoubt: boolean;
}

/**
 * A queued item, with its caller if it is awaited. There are tens of thousands at a time, so rarely used fields are in
 * a separate object.
 */
export class PendingItem<Item, Outcome> {
  /** Whether the item was written, lost or withdrawn. It then no longer counts in the buffer. */
  isReleased = false;
  private resolve: ((outcome: Outcome) => void) | undefined;
  private reject: ((error: unknown) => void) | undefined;
  private timeLimit: TimeLimit | undefined;

  constructor(
    readonly item: Item,
    /** Weight of the item in a transaction. */
    readonly weight: number,
    /** Weight of the item in memory. */
    readonly held: number,
  ) {}

  get isAwaited(): boolean {
    return this.resolve !== undefined;
  }

  get isWithdrawn(): boolean {
    return this.timeLimit !== undefined && this.timeLimit.isWithdrawn;
  }

  /** Returns the outcome of the item. Call it once. */
  outcome(): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Withdraws the item after a time limit. If a commit is running at that time, waits a little longer. */
  limit(milliseconds: number, onWithdrawn: () => void): void {
    const withdraw = (): void => {
      limit.isWithdrawn = true;
      this.reject?.(limit.isCommitting || limit.isInDoubt ? new CommitInDoubtError() : new CommitTooLateError());
      onWithdrawn();
    };
    const expire = (): void => {
      if (limit.isCommitting) limit.timer = setTimeout(withdraw, COMMIT_MS);
      else withdraw();
    };
    const timer = setTimeout(expire, milliseconds);
    const limit = { timer, isWithdrawn: false, isCommitting: false, isInDoubt: false };
    this.timeLimit = limit;
  }

  /** Called when a commit that contains the item starts. */
  commits(): void {
    if (this.timeLimit) this.timeLimit.isCommitting = true;
  }

  /** Called when the transaction of the item has failed. If its commit was not confirmed, the item is in doubt. */
  rollsBack(isOutage: boolean): void {
    const { timeLimit } = this;
    if (!timeLimit) return;
    if (timeLimit.isCommitting && isOutage) timeLimit.isInDoubt = true;
    timeLimit.isCommitting = false;
  }

  done(outcome: Outcome): void {
    if (this.timeLimit) clearTimeout(this.timeLimit.timer);
    this.resolve?.(outcome);
  }

  fail(error: unknown): void {
    if (this.timeLimit) clearTimeout(this.timeLimit.timer);
    this.reject?.(this.timeLimit?.isInDoubt ? new CommitInDoubtError() : error);
  }
}
