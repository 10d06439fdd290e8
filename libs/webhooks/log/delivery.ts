import { NotFoundError } from '#core';
import type { AttemptTrigger } from '../decide/index.js';

/** The statuses of a delivery. */
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'failed', 'cancelled'] as const;

/**
 * The status of a delivery. `delivering` means that an attempt is running. `pending` means that the delivery waits for
 * an attempt.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt, as the API shows it. */
export interface ShownAttempt {
  /** Starts at 1. An attempt that a crash interrupted is repeated with the same number. */
  number: number;
  trigger: AttemptTrigger;
  started_at: string;
  duration_ms: number | null;
  /** Null if there was no answer. */
  http_status: number | null;
  /** The stored part of the answer's body, as UTF-8; null if there was no answer, or if the body may not be shown. */
  response_body: string | null;
  response_truncated: boolean;
  /** Cause of the failure; null if an answer arrived in time. */
  error: string | null;
}

/** The delivery of one event to one webhook, as the API shows it. */
export interface ShownDelivery {
  id: string;
  webhook_id: string;
  /** Id of the event on the wire: `evt_…`. */
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempts: readonly ShownAttempt[];
  /** Time of the next attempt. Null if none is planned, while an attempt runs, and while the webhook is paused. */
  next_attempt_at: string | null;
  created_at: string;
}

/** The webhook has no delivery with this id, or the retention of the delivery has ended. */
export class DeliveryNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no delivery ${id} of this webhook.`);
  }
}
