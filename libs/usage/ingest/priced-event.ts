import type { StoredAttribution } from '../attribution/index.js';
import type { ParsedUsageEvent } from '../events/index.js';

/** Cost of a usage event and source of the price; all null if no price is known. */
export interface EventCost {
  picodollars: bigint | null;
  /** The cost before discounts. Default: the cost. */
  listPicodollars?: bigint | undefined;
  source: string | null;
  version: string | null;
}

/** A usage event ready to store, with user, price and fingerprint. */
export interface PricedEvent extends ParsedUsageEvent {
  userId: string;
  /** The user's department when the usage happened. */
  department: string | null;
  /** The access token of the request that caused the usage. If there was none, the token that reported the usage. */
  tokenId: string | null;
  /** The attribution of the usage, as reports count it. */
  attribution: StoredAttribution;
  cost: EventCost;
  /** 16 bytes in hexadecimal. */
  fingerprint: string;
}

/**
 * Outcome for an event. `accepted`: stored now. `duplicate`: already stored with the same content. `conflict`: the id
 * is stored with other content.
 */
export type EventOutcome = 'accepted' | 'duplicate' | 'conflict';

/** Source of the price of an event whose cost was stated by the sender. */
export const STATED_COST = 'stated';
