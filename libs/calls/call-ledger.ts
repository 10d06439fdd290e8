import type { HostTransaction } from '#database';
import type { CallUsage } from './call.js';
import type { CallRecord } from './call-record.js';

/** Progress of a call when it ends. */
export interface CallProgress {
  /** Output tokens that were passed on to the reader. */
  readonly outputTokens: number;
  /** Whether the process has tried to write usage ahead. */
  readonly isCovered: boolean;
}

/**
 * Stores the usage of calls: a write-ahead while the answer is sent, and the actual usage at the end. Budgets and
 * reports are updated shortly after.
 */
export abstract class CallLedger {
  /**
   * Writes ahead the number of output tokens that may be passed on.
   * @throws UnavailableError if the number cannot be stored
   */
  abstract cover(call: CallRecord, outputTokens: number): Promise<void>;

  /**
   * Stores the usage of a call once. Budgets and reports include it shortly after.
   * @throws UnavailableError if it is not stored in time; retries continue while the process lives
   */
  abstract settle(call: CallRecord, usage: CallUsage, progress: CallProgress, host?: HostTransaction): Promise<void>;

  /** Ends a call without usage and releases its reservation. @throws UnavailableError as {@link settle} */
  abstract release(call: CallRecord, progress: CallProgress, host?: HostTransaction): Promise<void>;

  /**
   * Counts the ended calls of an organization in this process now. During an outage, they stay in memory and are
   * counted later.
   */
  abstract flush(orgId: string): Promise<void>;
}
