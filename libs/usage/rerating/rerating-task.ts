import type { JsonObject } from '#core';

/** The queue of re-ratings. The id of a re-rating is also the key and id of its task. */
export const RERATING_QUEUE = 'usage-rerating';

/** Range and progress of a re-rating. */
export interface ReratingPayload extends JsonObject {
  /** Start of the range, inclusive, ISO 8601. */
  from: string;
  /** End of the range, exclusive; null for no end. */
  until: string | null;
  provider: string | null;
  model: string | null;
  /** Whether the initial delay is over. After this delay, every process knows the changed prices. */
  isBegun: boolean;
  /** The last processed event; null at the start. */
  after: { occurredAt: string; id: string } | null;
}
