import type { BufferRoom } from '#core';

/**
 * Memory limit for the waiting items of all keys together. A key that adds items too fast leaves room for other keys.
 */
export interface WaitingRoom<Item> {
  /** Counts the items that wait or are being written, by key. */
  readonly buffer: BufferRoom;
  /** Weight of an item in the buffer. Default: its weight in a transaction. */
  weightOf?(item: Item): number;
  /**
   * Creates the error for an awaited item if there is no room. Default: the item is accepted; check `buffer` before you
   * add an item.
   */
  readonly full?: () => Error;
}

/** Retries while the database is unavailable. Times in milliseconds. */
export interface RetryTerms {
  /** Delay before the first retry. It doubles with each retry. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Called when the first group has to wait because of an outage. */
  onOutage?(error: unknown): void;
  /** Called when the last group that waited is written. */
  onRecovery?(): void;
}

/** One attempt to commit a group. */
export interface CommitAttempt {
  /** Whether the group was tried before. Its rows may then be stored already. */
  readonly isRepeat: boolean;
  /** Whether a caller awaits an item of the group. */
  readonly isAwaited: boolean;
  /**
   * Must be called at the end of the transaction if items have a time limit. Afterwards no item can be withdrawn, and
   * an unconfirmed commit leaves its items in doubt.
   * @throws an error if an item was withdrawn. `commit` must not catch it. The remaining items are then written without
   * the withdrawn item
   */
  seal(): void;
}

/** Terms of a group commit. */
export interface GroupCommitTerms<Item, Outcome> {
  /**
   * Writes items of one key in one transaction. After the commit, returns one outcome per item, in the order of the
   * items. If it rejects, it must have written nothing. May be called again with the same items or with some of them.
   */
  commit(key: string, items: readonly Item[], attempt: CommitAttempt): Promise<readonly Outcome[]>;
  /** Weight of an item in a transaction. Default: 1. */
  weightOf?(item: Item): number;
  /** Maximum weight of a transaction. A heavier item gets its own transaction. */
  readonly maxWeight: number;
  /** Maximum number of parallel transactions per key. Retries may use one more. */
  readonly concurrency: number;
  /**
   * Maximum number of parallel transactions of all keys. Further transactions wait in order of arrival. Default: no
   * limit.
   */
  readonly totalConcurrency?: number;
  /** Memory limit of waiting items. Default: no limit. */
  readonly room?: WaitingRoom<Item>;
  /**
   * Whether to wait for items that are added in the same turn of the event loop. Default: false, an item is written at
   * once.
   */
  readonly gathers?: boolean;
  /** How long an item that nobody awaits may wait for a full group, in milliseconds. Default: 0. */
  readonly lingerMs?: number;
  /** Whether a single item causes an error, so that its group is split. Default: only for data faults. */
  readonly isItemFault?: (error: unknown) => boolean;
  /** Retries of other errors. Default: no retries; all items of the group are rejected. */
  readonly retry?: RetryTerms;
  /**
   * Called for items that nobody awaits and that cannot be written, because of an error of their own or after the last
   * retry.
   */
  onLost?(key: string, items: readonly Item[], error: unknown): void;
}
