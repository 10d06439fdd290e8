import type { HostTransaction } from '#database';
import type { CallUsage } from './call.js';
import type { CallRecord } from './call-record.js';

/** How far a call has come when it ends. */
export interface CallProgress {
  /** Output tokens that were passed on. */
  readonly outputTokens: number;
  /** Whether it was tried to write anything ahead. */
  readonly isCovered: boolean;
}

/** Keeps what calls use: ahead of the answer, at its end, and in the books soon after. */
export abstract class CallLedger {
  /** Writes ahead that so many output tokens may have been passed on. @throws UnavailableError where it cannot */
  abstract cover(call: CallRecord, outputTokens: number): Promise<void>;

  /**
   * Stores what a call used, once. It is in budgets and reports soon after.
   * @throws UnavailableError where that is not stored in time; then it is tried again as long as the process lives
   */
  abstract settle(call: CallRecord, usage: CallUsage, progress: CallProgress, host?: HostTransaction): Promise<void>;

  /** Ends a call that used nothing, and gives back what it reserved. @throws UnavailableError as {@link settle} */
  abstract release(call: CallRecord, progress: CallProgress, host?: HostTransaction): Promise<void>;

  /** Counts now what has ended of an organization in this process. In an outage it is counted later. */
  abstract flush(orgId: string): Promise<void>;
}
