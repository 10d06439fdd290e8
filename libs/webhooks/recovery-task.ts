import type { JsonObject } from '#core';

/** The queue of recoveries. Its keys are webhook ids. */
export const RECOVERY_QUEUE = 'webhook-recovery';

/** The range and the progress of a recovery. */
export interface RecoverySubject extends JsonObject {
  /** Start of the range of deliveries' creation times, ISO 8601. */
  since: string;
  /** End of the range of creation times. */
  until: string;
  /** Id of the last processed delivery; null at the start. */
  after: string | null;
}
