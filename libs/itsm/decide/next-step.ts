import type { AdapterCapabilities } from '../adapter/itsm-adapter.port.js';
import type { CreateOutcome, RejectionCode, TicketRef } from '../adapter/create-outcome.js';
import type { PlatformFault } from '../adapter/platform-answer.js';
import type { Progress, SyncState } from './progress.js';

/** The stored result of an attempt. */
export interface TicketResult {
  readonly syncState: SyncState;
  /** Whether a create request may have reached the platform. */
  readonly attempted: boolean;
  /** Number of create requests whose outcome became known through this attempt. Default: 0. */
  readonly answered?: number;
  /** The code of the refusal, if the platform would refuse every other request as well. */
  readonly refusesAll?: RejectionCode;
  /** Whether the ticket was already known, and the attempt was the final search for duplicates. */
  readonly isLastLook?: boolean;
  /**
   * Set if the earlier ticket was reopened. The ticket then has the priority of the earlier incident. The value
   * identifies the last report before the reopening. If a newer report exists, the status in that report is kept.
   */
  readonly reopenedAfter?: string;
  /** The platform's time of the reopening; undefined if it is unknown. */
  readonly reopenedAt?: Date;
  readonly ref?: TicketRef;
  readonly degraded?: readonly string[];
  readonly errorCode?: RejectionCode | 'unreachable' | 'uncertain';
  readonly error?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** What follows from an attempt. */
export interface Step {
  readonly result: TicketResult;
  /** Delay before the next attempt. Null if the task is complete. */
  readonly againAfterMs: number | null;
  readonly progress: Progress;
  /** Pause in milliseconds for which the platform asked. */
  readonly quietMs?: number;
}

/**
 * Delays in milliseconds before each retry, if the platform was not reached or did not answer. The last delay repeats.
 */
export const RETRY_DELAYS_MS = [1_000, 5_000, 30_000, 300_000, 900_000] as const;

/** Time after which the service gives up on a ticket. */
export const GIVE_UP_MS = 24 * 3_600_000;

/** Maximum `Retry-After` that the service obeys. */
export const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * Delays in milliseconds before each search for a ticket that may exist. They are needed even if searches are strongly
 * consistent, because the platform may still be processing a request long after its timeout.
 */
export const SEARCH_DELAYS_MS: Readonly<Record<FindByKey, readonly number[]>> = {
  strong: [2_000, 8_000, 20_000],
  eventual: [5_000, 15_000, 30_000],
  none: [],
};

/**
 * Maximum number of times that a create is repeated although an earlier one may have succeeded. If the platform hides
 * tickets from the account, searches never find them, and without this limit each round would create another ticket.
 */
export const RECREATIONS_MAX = 2;

/** Delay of the final search for duplicates after a ticket was created again. */
export const LAST_LOOK_MS = 300_000;

type FindByKey = AdapterCapabilities['findByKey'];

/** State of a ticket after an attempt. */
export interface Standing {
  readonly findByKey: FindByKey;
  /** Number of create requests whose outcome is unknown, including the latest one. */
  readonly unanswered: number;
  /** Whether repeating the create request creates no second ticket, at least while the first one is open. */
  readonly isIdempotent?: boolean;
}

/** The step after an attempt to create the ticket. */
export function afterCreate(progress: Progress, outcome: CreateOutcome, standing: Standing, now: Date): Step {
  switch (outcome.kind) {
    case 'created': {
      const { ref, degraded = [] } = outcome;
      const others = standing.isIdempotent ? 0 : standing.unanswered - 1;
      return created(progress, { syncState: 'created', attempted: true, ref, degraded }, standing.findByKey, others);
    }
    case 'rejected': {
      const { code, message, fields } = outcome;
      const named = fields === undefined ? {} : { fields };
      return over(progress, { syncState: 'rejected', attempted: true, errorCode: code, error: message, ...named });
    }
    case 'retryable':
      return retry(progress, outcome.message, outcome.retryAfterMs, now);
    case 'uncertain':
      if (standing.isIdempotent) return repeat(progress, outcome.message, now);
      return doubt(progress, outcome.message, standing.findByKey, true, now);
  }
}

/** The step after a create whose outcome is unknown, because the process ended or the outcome was lost. */
export function afterInterruption(progress: Progress, findByKey: FindByKey, now: Date): Step {
  return doubt(
    progress,
    'The attempt to create the ticket was interrupted; it may have been created.',
    findByKey,
    false,
    now,
  );
}

/** The step after a search. `found` contains the tickets, newest first. */
export function afterSearch(
  progress: Progress,
  found: readonly TicketRef[],
  { findByKey, unanswered }: Standing,
  now: Date,
): Step {
  const [ref, ...others] = found;
  if (ref) {
    const answered = found.length;
    const known = { syncState: 'created', attempted: false, answered, ref, degraded: others.map(sameKey) } as const;
    return created(progress, known, findByKey, unanswered - answered);
  }
  const searches = progress.searches + 1;
  // The search was only a precaution. The create was refused, so it may be repeated at once.
  const nextSearchMs = unanswered > progress.lookedFor ? SEARCH_DELAYS_MS[findByKey][searches] : undefined;
  const result: TicketResult = { syncState: 'uncertain', attempted: false };
  if (nextSearchMs !== undefined) return { result, againAfterMs: nextSearchMs, progress: { ...progress, searches } };
  if (isTooLate(progress, now)) return over(progress, { ...result, ...UNSEEN });
  // A person who retries has already checked the platform.
  if (unanswered > RECREATIONS_MAX && !progress.byHand) return over(progress, { ...result, ...CREATED_TOO_OFTEN });
  // If no ticket was found for the first time, the create is repeated at once.
  const againAfterMs = progress.tries === 0 || progress.byHand ? 0 : delayAfter(progress.tries);
  const looked = { phase: 'create', searches: 0, lookedFor: unanswered, tries: progress.tries + 1 } as const;
  return { result, againAfterMs, progress: { ...progress, ...looked } };
}

/** The step after the final search for duplicates of a known ticket. */
export function afterLastLook(progress: Progress, known: string, found: readonly TicketRef[]): Step {
  const degraded = found.filter(({ externalTicketId }) => externalTicketId !== known).map(sameKey);
  return over(progress, { syncState: 'created', attempted: false, isLastLook: true, degraded });
}

/** The reason why a search failed, and what the answer says about the platform. */
export interface SearchFailure extends PlatformFault {
  readonly message: string;
}

/** The step after a final search that the platform did not answer. */
export function afterFailedLook(progress: Progress, failure: SearchFailure, now: Date): Step {
  const result: TicketResult = { syncState: 'created', attempted: false, isLastLook: true, ...refusesAll(failure) };
  return nothingFound(progress, result, failure, now);
}

/** The step after a search that the platform did not answer. */
export function afterFailedSearch(progress: Progress, failure: SearchFailure, now: Date): Step {
  const said = { errorCode: 'uncertain', error: failure.message, ...refusesAll(failure) } as const;
  return nothingFound(progress, { syncState: 'uncertain', attempted: false, ...said }, failure, now);
}

function nothingFound(progress: Progress, result: TicketResult, { retryAfterMs }: SearchFailure, now: Date): Step {
  if (isTooLate(progress, now)) return over(progress, result);
  return quietly(again(progress, result, delayAfter(progress.tries + 1), now), retryAfterMs);
}

/** Refusals that may concern only searches. */
function refusesAll({ code }: SearchFailure): Pick<TicketResult, 'refusesAll'> {
  return code === 'auth' || code === 'hibernating' ? { refusesAll: code } : {};
}

const UNSEEN = {
  errorCode: 'uncertain',
  error:
    'The platform never confirmed the ticket, and its search does not find it; look for it on the platform, then ' +
    'retry.',
} as const;

const CREATED_TOO_OFTEN = {
  errorCode: 'uncertain',
  error:
    `The ticket was created again ${RECREATIONS_MAX} times after lost answers, but the platform finds none of ` +
    `them: the ` +
    'account may not see its own tickets. Test the connector, look for the ticket on the platform, then retry.',
} as const;

function doubt(progress: Progress, message: string, findByKey: FindByKey, attempted: boolean, now: Date): Step {
  const result: TicketResult = { syncState: 'uncertain', attempted, errorCode: 'uncertain', error: message };
  const [firstSearchMs] = SEARCH_DELAYS_MS[findByKey];
  // If the platform cannot be searched, only a person can find out whether the ticket exists.
  if (firstSearchMs === undefined) return over(progress, result);
  const since = progress.since ?? now.toISOString();
  return {
    result,
    againAfterMs: firstSearchMs,
    progress: { ...progress, phase: 'find', searches: 0, since, byHand: false },
  };
}

/** The platform recognizes the key. A repeated request creates the ticket, or returns the existing open one. */
function repeat(progress: Progress, message: string, now: Date): Step {
  const result: TicketResult = { syncState: 'uncertain', attempted: true, errorCode: 'uncertain', error: message };
  if (isTooLate(progress, now)) return over(progress, result);
  return again({ ...progress, phase: 'create' }, result, delayAfter(progress.tries + 1), now);
}

function retry(progress: Progress, message: string, retryAfterMs: number | undefined, now: Date): Step {
  if (isTooLate(progress, now)) {
    return over(progress, { syncState: 'rejected', attempted: true, errorCode: 'unreachable', error: message });
  }
  const result: TicketResult = { syncState: 'pending', attempted: true, errorCode: 'unreachable', error: message };
  return quietly(again(progress, result, delayAfter(progress.tries + 1), now), retryAfterMs);
}

/** Extends the delay if the platform asks for a pause, but by one hour at most. */
function quietly(step: Step, retryAfterMs = 0): Step {
  const asked = Math.min(Math.max(0, retryAfterMs), RETRY_AFTER_MAX_MS);
  return asked > 0 ? { ...step, againAfterMs: Math.max(asked, step.againAfterMs ?? 0), quietMs: asked } : step;
}

function again(progress: Progress, result: TicketResult, againAfterMs: number, now: Date): Step {
  const since = progress.since ?? now.toISOString();
  return { result, againAfterMs, progress: { ...progress, tries: progress.tries + 1, since, byHand: false } };
}

/** @param unseen number of further tickets that may exist on the platform and were not found yet */
function created(progress: Progress, result: TicketResult, findByKey: FindByKey, unseen: number): Step {
  if (unseen <= 0 || findByKey === 'none') return over(progress, result);
  return { result, againAfterMs: LAST_LOOK_MS, progress: { ...progress, tries: 0, since: null, byHand: false } };
}

function sameKey({ externalTicketId }: TicketRef): string {
  return `The platform has another ticket with the same key: ${externalTicketId}.`;
}

function over(progress: Progress, result: TicketResult): Step {
  return { result, againAfterMs: null, progress };
}

function delayAfter(tries: number): number {
  return RETRY_DELAYS_MS[Math.min(tries, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0];
}

function isTooLate({ since }: Progress, now: Date): boolean {
  return since !== null && now.getTime() - Date.parse(since) >= GIVE_UP_MS;
}
