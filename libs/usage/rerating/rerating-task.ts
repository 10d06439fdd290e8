import type { JsonObject } from '#core';

/** The queue of re-ratings. Its keys are the ids of re-ratings, as are those of its tasks. */
export const RERATING_QUEUE = 'usage-rerating';

/** What a re-rating is about, and how far it has come. */
export interface ReratingSubject extends JsonObject {
  /** Events that occurred from here on, ISO 8601. */
  from: string;
  /** Up to before here; null for all later ones. */
  until: string | null;
  provider: string | null;
  model: string | null;
  /** Whether the pause is over that lets every process learn of the prices. */
  isBegun: boolean;
  /** The last event that was looked at; null in the beginning. */
  after: { occurredAt: string; id: string } | null;
}
