import type { StoredAttribution } from '../attribution/index.js';
import type { ParsedUsageEvent } from '../events/index.js';

/** What a usage event cost and where the price came from; all null where no price is known. */
export interface EventCost {
  picodollars: bigint | null;
  source: string | null;
  version: string | null;
}

/** A usage event ready to be stored: its person found, its price known, its content summed up. */
export interface PricedEvent extends ParsedUsageEvent {
  userId: string;
  /** The person's department when the usage happened. */
  department: string | null;
  /** The access token that the usage was made with, or else reported with. */
  tokenId: string | null;
  /** How it counts in reports. */
  attribution: StoredAttribution;
  cost: EventCost;
  /** 16 bytes in hexadecimal. */
  fingerprint: string;
}

/**
 * What became of an event: stored; there already with the same content; or its id is there with other content.
 */
export type EventOutcome = 'accepted' | 'duplicate' | 'conflict';

/** Price source of events whose sender stated the cost. */
export const STATED_COST = 'stated';
