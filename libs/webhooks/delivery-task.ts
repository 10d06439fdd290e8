import type { NewTask } from '#outbox';

/** The queue of deliveries. Its keys are webhook ids, and the id of a task is the id of its delivery. */
export const WEBHOOK_QUEUE = 'webhook';

/** The delivery for which a task makes attempts. */
export interface DueDelivery {
  id: string;
  webhookId: string;
  eventId: string;
}

/** The task of a new delivery. It makes all scheduled attempts. */
export function scheduledTask(delivery: DueDelivery): NewTask {
  const { id, webhookId, eventId } = delivery;
  return { id, queue: WEBHOOK_QUEUE, key: webhookId, payload: { event_id: eventId } };
}

/** The task that makes one more attempt of a failed delivery, when a user requests it. */
export function extraTask(delivery: DueDelivery & { attempts: number }, trigger: 'manual' | 'recovery'): NewTask {
  const { id, webhookId, eventId, attempts } = delivery;
  return { id, queue: WEBHOOK_QUEUE, key: webhookId, attempt: attempts + 1, payload: { event_id: eventId, trigger } };
}
