import { NotFoundError } from '#core';
import type { AttemptTrigger } from '../decide/index.js';

/** Where a delivery can stand. */
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'failed', 'cancelled'] as const;

/** Where a delivery stands: `delivering` while an attempt is under way, `pending` before and between attempts. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt, as it is shown. */
export interface ShownAttempt {
  /** 1 is the first. One that was cut by a crash is made again under its number. */
  number: number;
  trigger: AttemptTrigger;
  started_at: string;
  duration_ms: number | null;
  /** Null where no answer came. */
  http_status: number | null;
  /** What was received of the answer's body, as UTF-8; null where no answer came or its body may not be shown. */
  response_body: string | null;
  response_truncated: boolean;
  /** What went wrong; null where an answer came in time. */
  error: string | null;
}

/** One event on its way to one webhook, as it is shown. */
export interface ShownDelivery {
  id: string;
  webhook_id: string;
  /** As it stands in the event: `evt_…`. */
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempts: readonly ShownAttempt[];
  /** Null where none is to come, while one is under way and while the webhook is paused. */
  next_attempt_at: string | null;
  created_at: string;
}

/** The webhook has no delivery of that id, or it is kept no longer. */
export class DeliveryNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no delivery ${id} of this webhook.`);
  }
}
