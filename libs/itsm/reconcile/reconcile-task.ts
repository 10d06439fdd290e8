import { createHash } from 'node:crypto';
import type { JsonObject } from '#core';
import type { NewTask } from '#outbox';

/** The queue that asks platforms where tickets stand. Its keys are connector ids. */
export const RECONCILE_QUEUE = 'itsm-reconcile';

/** How far a round has come. */
export interface ReconcileSubject extends JsonObject {
  /** The last ticket that was asked for; null in the beginning. */
  after: string | null;
}

/** The round of one connector. There is one at a time: its id follows from the connector's. */
export function reconcileTask(connectorId: string): NewTask {
  const subject: ReconcileSubject = { after: null };
  return { id: derivedId(connectorId), queue: RECONCILE_QUEUE, key: connectorId, subject };
}

/** Not the connector's own id: ids of tasks are unique over all queues. UUID of version 8 (RFC 9562, section 5.8). */
function derivedId(connectorId: string): string {
  const hex = createHash('sha256').update(`${RECONCILE_QUEUE} ${connectorId.toLowerCase()}`).digest('hex');
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
