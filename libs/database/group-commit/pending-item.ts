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

/** An item on its way to the database, with the caller who waits for it, if one does. */
export class PendingItem<Item, Outcome> {
  /** The caller has given it up: it must not be written. */
  isWithdrawn = false;
  /** A commit is under way that contains it. */
  isCommitting = false;
  /** It was in a commit that was not answered. */
  isInDoubt = false;
  /** It is written, lost or withdrawn, and takes no room any more. */
  isReleased = false;
  private resolve: ((outcome: Outcome) => void) | undefined;
  private reject: ((error: unknown) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

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

  /** The outcome, for one caller. */
  outcome(): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Withdraws it after a time limit, or a little later while a commit is under way. */
  limit(milliseconds: number, onWithdrawn: () => void): void {
    this.timer = setTimeout(() => {
      if (this.isCommitting) this.timer = setTimeout(() => this.withdraw(onWithdrawn), COMMIT_MS);
      else this.withdraw(onWithdrawn);
    }, milliseconds);
  }

  done(outcome: Outcome): void {
    if (this.timer) clearTimeout(this.timer);
    this.resolve?.(outcome);
  }

  fail(error: unknown): void {
    clearTimeout(this.timer);
    this.reject?.(this.isInDoubt ? new CommitInDoubtError() : error);
  }

  private withdraw(onWithdrawn: () => void): void {
    this.isWithdrawn = true;
    this.reject?.(this.isCommitting || this.isInDoubt ? new CommitInDoubtError() : new CommitTooLateError());
    onWithdrawn();
  }
}
