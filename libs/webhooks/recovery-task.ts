import type { JsonObject } from '#core';

/** The queue of recoveries. Its keys are webhook ids. */
export const RECOVERY_QUEUE = 'webhook-recovery';

/** What a recovery is about, and how far it has come. */
export interface RecoverySubject extends JsonObject {
  /** Failed deliveries created from here on, ISO 8601. */
  since: string;
  /** Up to here. */
  until: string;
  /** The last delivery that it has looked at; null in the beginning. */
  after: string | null;
}
