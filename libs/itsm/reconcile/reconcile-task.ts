import { createHash } from 'node:crypto';
import type { JsonObject } from '#core';
import type { NewTask } from '#outbox';

/** Queue of status polls. The key of a task is the connector's id. */
export const RECONCILE_QUEUE = 'itsm-reconcile';

/** Progress of a polling round. */
export interface ReconcilePayload extends JsonObject {
  /** Id of the last polled ticket; null at the start of the round. */
  after: string | null;
}

/** The polling round of a connector. The task id is derived from the connector's id, so at most one round exists. */
export function reconcileTask(connectorId: string): NewTask {
  const payload: ReconcilePayload = { after: null };
  return { id: derivedId(connectorId), queue: RECONCILE_QUEUE, key: connectorId, payload };
}

/**
 * Task ids are unique across queues, so the connector's own id cannot be used. UUID version 8 (RFC 9562, section 5.8).
 */
function derivedId(connectorId: string): string {
  const hex = createHash('sha256').update(`${RECONCILE_QUEUE} ${connectorId.toLowerCase()}`).digest('hex');
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
