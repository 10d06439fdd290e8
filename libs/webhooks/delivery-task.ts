import type { NewTask } from '#outbox';

/** The queue of deliveries. Its keys are webhook ids, and a delivery's task has the delivery's id. */
export const WEBHOOK_QUEUE = 'webhook';

/** Which delivery to attempt. */
export interface DueDelivery {
  id: string;
  webhookId: string;
  eventId: string;
}

/** The task of a new delivery: its first attempt and, by the schedule, those that follow. */
export function scheduledTask(delivery: DueDelivery): NewTask {
  const { id, webhookId, eventId } = delivery;
  return { id, queue: WEBHOOK_QUEUE, key: webhookId, subject: { event_id: eventId } };
}

/** One more attempt of a delivery that had failed, because somebody asked for it. */
export function extraTask(delivery: DueDelivery & { attempts: number }, trigger: 'manual' | 'recovery'): NewTask {
  const { id, webhookId, eventId, attempts } = delivery;
  return { id, queue: WEBHOOK_QUEUE, key: webhookId, attempt: attempts + 1, subject: { event_id: eventId, trigger } };
}
