import type { NewTask } from '#outbox';

/** The queue of deliveries. Its keys are webhook ids. The task of a delivery has the delivery's id. */
export const WEBHOOK_QUEUE = 'webhook';

/** The delivery to attempt. */
export interface DueDelivery {
  id: string;
  webhookId: string;
  eventId: string;
}

/** The task of a new delivery, for all of its scheduled attempts. */
export function scheduledTask(delivery: DueDelivery): NewTask {
  const { id, webhookId, eventId } = delivery;
  return { id, queue: WEBHOOK_QUEUE, key: webhookId, payload: { event_id: eventId } };
}

/** The task of one more attempt of a failed delivery, on request. */
export function extraTask(delivery: DueDelivery & { attempts: number }, trigger: 'manual' | 'recovery'): NewTask {
  const { id, webhookId, eventId, attempts } = delivery;
  return { id, queue: WEBHOOK_QUEUE, key: webhookId, attempt: attempts + 1, payload: { event_id: eventId, trigger } };
}
