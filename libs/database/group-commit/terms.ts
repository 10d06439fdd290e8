import type { BufferRoom } from '#core';

/** Memory limit for waiting items of all keys together. A key that adds too fast leaves room for the others. */
export interface WaitingRoom<Item> {
  /** Counts the items that wait or are being written, by key. */
  readonly buffer: BufferRoom;
  /** Weight of an item in the buffer. Default: its weight in a transaction. */
  weightOf?(item: Item): number;
  /** The error for an awaited item if there is no room. Default: it is accepted; ask `buffer` before you add. */
  readonly full?: () => Error;
}

/** Retries while the database is unavailable. Times in milliseconds. */
export interface RetryTerms {
  /** Delay before the first retry. It doubles with each retry. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Called when the first group has to wait. */
  onOutage?(error: unknown): void;
  /** Called when the last waiting group is written. */
  onRecovery?(): void;
}

/** One attempt to commit a group. */
export interface CommitAttempt {
  /** Whether the group was tried before, so its rows may be stored already. */
  readonly isRepeat: boolean;
  /** Whether a caller waits for an item of the group. */
  readonly isAwaited: boolean;
  /**
   * Must be called at the end of the transaction if items have a time limit. Afterwards no item can be withdrawn, and
   * an unconfirmed commit leaves its items in doubt.
   * @throws an error that `commit` must not catch, if an item was withdrawn; the other items are then written without
   * it
   */
  seal(): void;
}

/** Terms of a group commit. */
export interface GroupCommitTerms<Item, Outcome> {
  /**
   * Writes some items of one key in one transaction. After the commit, returns one outcome per item, in their order. If
   * it rejects, it must have written nothing. May be called again with the same items or with some of them.
   */
  commit(key: string, items: readonly Item[], attempt: CommitAttempt): Promise<readonly Outcome[]>;
  /** Default: 1. */
  weightOf?(item: Item): number;
  /** Maximum weight of a transaction. A heavier item gets its own. */
  readonly maxWeight: number;
  /** Maximum number of parallel transactions per key. Retried groups may use one more. */
  readonly concurrency: number;
  /** Maximum number of parallel transactions of all keys; others wait in order of arrival. Default: no limit. */
  readonly totalConcurrency?: number;
  /** Default: no limit. */
  readonly room?: WaitingRoom<Item>;
  /**
   * Whether to wait for items that are added in the same turn of the event loop. Default: false, an item starts at
   * once.
   */
  readonly gathers?: boolean;
  /** How long an item that nobody awaits may wait for a full group. Default: 0. */
  readonly lingerMs?: number;
  /** Whether an item is at fault, so that its group is split. Default: only data faults. */
  readonly isItemFault?: (error: unknown) => boolean;
  /** Default: other faults are not retried, and all items of the group are rejected. */
  readonly retry?: RetryTerms;
  /**
   * Called for items that nobody awaited and that cannot be written, because of their own fault or after the last
   * retry.
   */
  onLost?(key: string, items: readonly Item[], error: unknown): void;
}
