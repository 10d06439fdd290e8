import type { EgressAnswer } from '#egress';
import type { Task } from '#outbox';
import { exchangedHeaders, withoutSecrets, type AttemptTrigger, type SigningSecrets } from '../decide/index.js';

/** An attempt: one POST, with as much as is known about it. */
export interface Attempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  /** Number of the attempt, counted from 1. An attempt that a crash interrupted is repeated with the same number. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly startedAt: Date;
  /** Duration in milliseconds; null if the end of the attempt is unknown. */
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  readonly responseBody: Buffer | null;
  readonly responseTruncated: boolean;
  /** The error in the form `<code>: <sentence>`; null if there was an answer. */
  readonly error: string | null;
  /** The headers of the request and of the answer, as JSON; null if the end of the attempt is unknown. */
  readonly headers: string | null;
  readonly timedOut: boolean;
  /** Whether the headers of a 2xx answer arrived in time. */
  readonly succeeded: boolean;
  /** Whether a crash interrupted the attempt. The log already contains such an attempt. */
  readonly interrupted: boolean;
}

/** An attempt that has ended. Secrets of the webhook are hidden in the stored answer. */
export function answeredAttempt(
  task: Task,
  startedAt: Date,
  sent: Readonly<Record<string, string>>,
  answer: EgressAnswer,
  secrets: SigningSecrets,
): Attempt {
  const { status, error, mayShow } = answer;
  const known = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  // A subscriber could point a webhook at an internal service, and must not read its answers unless the operator allows
  // it.
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

/** The previous attempt of a task, which a crash interrupted. It is unknown whether its request was sent. */
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

/** The event that a delivery task sends. */
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
