import type { BufferRoom } from '#core';

/** How much may wait in memory, of all keys together. A key that adds too fast leaves room for the others. */
export interface WaitingRoom<Item> {
  /** Counts the items that wait or are being written, by key. */
  readonly buffer: BufferRoom;
  /** Space that an item takes in the buffer. Default: its weight in a transaction. */
  weightOf?(item: Item): number;
  /** The error for an awaited item that finds no room. Default: the item is taken; ask `buffer` before you add. */
  readonly full?: () => Error;
}

/** How a group is tried again while the database is away. Times in milliseconds. */
export interface RetryTerms {
  /** Pause before the first retry. It doubles with each one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** The first group must wait. */
  onOutage?(error: unknown): void;
  /** The last group that had to wait is written. */
  onRecovery?(): void;
}

/** One attempt to commit a group. */
export interface CommitAttempt {
  /** Whether the group was tried before, so its rows may be stored although the commit was not confirmed. */
  readonly isRepeat: boolean;
  /** Whether a caller waits for an item of the group. */
  readonly isAwaited: boolean;
  /**
   * Must be called at the end of the transaction if items have a time limit. From here on no item can be withdrawn, and
   * a commit that is not answered leaves its items in doubt.
   * @throws an error to let through, if an item was withdrawn meanwhile; the others are written without that item
   */
  seal(): void;
}

/** How a group commit works. */
export interface GroupCommitTerms<Item, Outcome> {
  /**
   * Writes some items of one key in one transaction, and answers one outcome per item, at its place, once that is
   * committed. When it rejects, nothing is written. It may be called again with the same items, or with a part of them.
   */
  commit(key: string, items: readonly Item[], attempt: CommitAttempt): Promise<readonly Outcome[]>;
  /** Default: 1. */
  weightOf?(item: Item): number;
  /** Weight of one transaction. An item that is heavier has one of its own. */
  readonly maxWeight: number;
  /** Transactions of one key at a time. Groups that are retried aside have one more. */
  readonly concurrency: number;
  /** Transactions of all keys at a time; the others wait in the order in which they came. Default: no limit. */
  readonly totalConcurrency?: number;
  /** Default: no limit. */
  readonly room?: WaitingRoom<Item>;
  /** Waits for the items that are added in the same turn of the event loop. Default: false, an item starts at once. */
  readonly gathers?: boolean;
  /** How long an item that nobody waits for may wait for a full group. Default: 0. */
  readonly lingerMs?: number;
  /** Whether an item of the group is at fault, so that the group is written in halves. Default: on data faults only. */
  readonly isItemFault?: (error: unknown) => boolean;
  /** Default: other faults are not retried; all items of the group hear of them. */
  readonly retry?: RetryTerms;
  /** Items that nobody waited for and that cannot be written: their own fault, or no retry was left. */
  onLost?(key: string, items: readonly Item[], error: unknown): void;
}
