import type { Decision } from '#policy';
import type { CallRequest } from './call.js';

/** What is known of a call from its beginning. */
export interface CallRecord {
  /** Its own: several calls may be made under one decision. */
  readonly id: string;
  readonly orgId: string;
  readonly request: CallRequest;
  /** Undefined where the call passed undecided. */
  readonly decision: Decision | undefined;
  readonly openedAt: Date;
}

/** Most tokens that an event may have; nothing real comes near it. */
const MAX_TOKENS = 1_000_000_000_000;

/** A count of tokens that can be stored, whatever a host or a provider says. */
export function storableTokens(count: number | undefined): number {
  if (count === undefined || !(count > 0)) return 0;
  return Math.min(Math.ceil(count), MAX_TOKENS);
}
