import type { EgressAnswer } from '#egress';
import type { Task } from '#outbox';
import { exchangedHeaders, withoutSecrets, type AttemptTrigger, type SigningSecrets } from '../decide/index.js';

/** One POST, as far as it is known. */
export interface Attempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  /** Starts at 1. An attempt that a crash interrupted is repeated with the same number. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly startedAt: Date;
  /** Milliseconds; null if the end is unknown. */
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  readonly responseBody: Buffer | null;
  readonly responseTruncated: boolean;
  /** `<code>: <sentence>`; null if there was an answer. */
  readonly error: string | null;
  /** The headers that were sent and answered, as JSON; null if the end is unknown. */
  readonly headers: string | null;
  readonly timedOut: boolean;
  /** Whether the headers of a 2xx answer arrived in time. */
  readonly succeeded: boolean;
  /** Whether it was interrupted. Such an attempt is already in the log. */
  readonly interrupted: boolean;
}

/** A finished attempt. The secrets of the webhook are hidden in the stored answer. */
export function answeredAttempt(
  task: Task,
  startedAt: Date,
  sent: Readonly<Record<string, string>>,
  answer: EgressAnswer,
  secrets: SigningSecrets,
): Attempt {
  const { status, error, mayShow } = answer;
  const known = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  // Subscribers must not read the answers of internal services, unless the operator allows it.
  const isWithheld = !mayShow && answer.body.length > 0;
  return {
    ...identityOf(task),
    startedAt,
    durationMs: answer.durationMs,
    httpStatus: status ?? null,
    responseBody: status === undefined || isWithheld ? null : withoutSecrets(answer.body, known, answer.truncated),
    responseTruncated: answer.truncated || isWithheld,
    error: error ? `${error.code}: ${error.message}` : null,
    headers: exchangedHeaders(sent, status === undefined || !mayShow ? null : answer.headers, known),
    timedOut: error?.code === 'timeout',
    succeeded: status !== undefined && status >= 200 && status < 300,
    interrupted: false,
  };
}

/** The interrupted previous attempt. It is unknown whether its request was sent. */
export function interruptedAttempt(task: Task): Attempt {
  return {
    ...identityOf(task),
    startedAt: task.interruptedAt ?? new Date(0),
    durationMs: null,
    httpStatus: null,
    responseBody: null,
    responseTruncated: false,
    error:
      'interrupted: The process that had this attempt in hand ended or lost the database; the request may have arrived.',
    headers: null,
    timedOut: false,
    succeeded: false,
    interrupted: true,
  };
}

/** The event of a delivery task. */
export function eventIdOf({ payload }: Task): string {
  return typeof payload['event_id'] === 'string' ? payload['event_id'] : '';
}

function identityOf(task: Task): Pick<Attempt, 'deliveryId' | 'webhookId' | 'eventId' | 'number' | 'trigger'> {
  const { trigger } = task.payload;
  return {
    deliveryId: task.id,
    webhookId: task.key,
    eventId: eventIdOf(task),
    number: task.attempt,
    trigger: trigger === 'manual' || trigger === 'recovery' ? trigger : 'schedule',
  };
}
