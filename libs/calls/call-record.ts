import type { Decision } from '#policy';
import type { CallRequest } from './call.js';

/** Data of a call that is known at its start. */
export interface CallRecord {
  /** Id of the call; one decision may have several calls. */
  readonly id: string;
  readonly orgId: string;
  /**
   * The request, with project and tags of the caller. If a decision has several calls, only the first call contains
   * project and tags.
   */
  readonly request: CallRequest;
  /** The access token of the caller; undefined for any other credential. */
  readonly tokenId: string | undefined;
  /** The decision; undefined if the call passed without one. */
  readonly decision: Decision | undefined;
  readonly openedAt: Date;
}

/** Maximum number of tokens of an event, far above real values. */
const MAX_TOKENS = 1_000_000_000_000;

/** Limits a token count from a host or provider to storable values. */
export function storableTokens(count: number | undefined): number {
  if (count === undefined || !(count > 0)) return 0;
  return Math.min(Math.ceil(count), MAX_TOKENS);
}
