import type { EgressAnswer } from '#egress';
import type { Task } from '#outbox';
import { withoutSecrets, type AttemptTrigger, type SigningSecrets } from '../decide/index.js';

/** One POST, or what is known of it. */
export interface Attempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  /** 1 is the first; one that was cut by a crash is made again under its number. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly startedAt: Date;
  /** Milliseconds; null where nobody saw the end. */
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  readonly responseBody: Buffer | null;
  readonly responseTruncated: boolean;
  /** `<code>: <sentence>`; null where an answer came. */
  readonly error: string | null;
  readonly timedOut: boolean;
  /** Whether the headers of a 2xx answer came in time. */
  readonly succeeded: boolean;
  /** Whether it was cut: it stands in the log already. */
  readonly interrupted: boolean;
}

/** An attempt whose end was seen. The secrets of the webhook are hidden in what is kept of the answer. */
export function answeredAttempt(task: Task, startedAt: Date, answer: EgressAnswer, secrets: SigningSecrets): Attempt {
  const { status, error, mayShow } = answer;
  const known = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  // Whoever registers webhooks must not read what services inside answer, unless the operator has said that they may.
  const isWithheld = !mayShow && answer.body.length > 0;
  return {
    ...identityOf(task),
    startedAt,
    durationMs: answer.durationMs,
    httpStatus: status ?? null,
    responseBody: status === undefined || isWithheld ? null : withoutSecrets(answer.body, known, answer.truncated),
    responseTruncated: answer.truncated || isWithheld,
    error: error ? `${error.code}: ${error.message}` : null,
    timedOut: error?.code === 'timeout',
    succeeded: status !== undefined && status >= 200 && status < 300,
    interrupted: false,
  };
}

/** The attempt before this one, of which nothing was heard again. Whether it had begun, only its process knew. */
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
    timedOut: false,
    succeeded: false,
    interrupted: true,
  };
}

/** The event that a delivery's task is about. */
export function eventIdOf({ subject }: Task): string {
  return typeof subject['event_id'] === 'string' ? subject['event_id'] : '';
}

function identityOf(task: Task): Pick<Attempt, 'deliveryId' | 'webhookId' | 'eventId' | 'number' | 'trigger'> {
  const { trigger } = task.subject;
  return {
    deliveryId: task.id,
    webhookId: task.key,
    eventId: eventIdOf(task),
    number: task.attempt,
    trigger: trigger === 'manual' || trigger === 'recovery' ? trigger : 'schedule',
  };
}
