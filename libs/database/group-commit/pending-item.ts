import { UnavailableError } from '#core';

/** How long a commit under way is waited for beyond the time limit of its items. */
const COMMIT_MS = 2_000;

/** The item was not written within its time limit. It is withdrawn and will never be written. */
export class CommitTooLateError extends UnavailableError {
  constructor() {
    super('The database did not take it in time; nothing is written. Try again shortly.');
  }
}

/** The connection was lost during the commit, or the commit takes too long. The item may be written, or not. */
export class CommitInDoubtError extends UnavailableError {
  constructor() {
    super('The database was lost while it took this, so it may be written. Look before you try again.');
  }
}

/** What is known of an item that may be withdrawn. */
interface TimeLimit {
  timer: NodeJS.Timeout;
  /** The caller has given it up: it must not be written. */
  isWithdrawn: boolean;
  /** A commit is under way that contains it. */
  isCommitting: boolean;
  /** It was in a commit that was not answered. */
  isInDoubt: boolean;
}

/**
 * An item on its way to the database, with the caller who waits for it, if one does. Tens of thousands live at a time,
 * so what few of them need is an object of its own.
 */
export class PendingItem<Item, Outcome> {
  /** It is written, lost or withdrawn, and takes no room any more. */
  isReleased = false;
  private resolve: ((outcome: Outcome) => void) | undefined;
  private reject: ((error: unknown) => void) | undefined;
  private timeLimit: TimeLimit | undefined;

  constructor(
    readonly item: Item,
    /** In a transaction. */
    readonly weight: number,
    /** In memory. */
    readonly held: number,
  ) {}

  get isAwaited(): boolean {
    return this.resolve !== undefined;
  }

  get isWithdrawn(): boolean {
    return this.timeLimit !== undefined && this.timeLimit.isWithdrawn;
  }

  /** The outcome, for one caller. */
  outcome(): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Withdraws it after a time limit, or a little later while a commit is under way. */
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

  /** A commit begins that contains it. */
  commits(): void {
    if (this.timeLimit) this.timeLimit.isCommitting = true;
  }

  /** The transaction that contained it failed; if a commit was not answered, it is in doubt. */
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
