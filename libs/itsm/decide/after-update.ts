import type { ChangeKind, UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { COMMENT_APART_MS, type BegunChange, type Told } from './next-change.js';
import { RETRY_AFTER_MAX_MS } from './next-step.js';
import { notAfter } from './platform-time.js';

/** Maximum number of attempts for one comment whose outcome is unknown. */
const COMMENT_SENDS_MAX = 3;

/**
 * Delays in milliseconds before each retry; the last delay repeats. The service never gives up because a platform does
 * not answer.
 */
export const CHANGE_DELAYS_MS = [1_000, 5_000, 30_000, 300_000, 900_000, 3_600_000] as const;

/** Results of an attempt to change a ticket. */
export const CHANGE_RESULTS = ['made', 'kept', 'refused', 'hidden', 'unanswered', 'retrying'] as const;

/**
 * `made`: the platform made the change, or the ticket was as wanted. `kept`: people decided otherwise, so nothing was
 * changed. `refused`: the platform refused the change for good. `hidden`: the platform does not show the ticket.
 * `unanswered`: a comment is not sent again after several attempts without an answer. `retrying`: the service tries again.
 */
export type ChangeResult = (typeof CHANGE_RESULTS)[number];

/** The result of an attempt, in the form in which it is stored. */
export interface ChangeStep {
  readonly result: ChangeResult;
  readonly told: Partial<Told>;
  /** The change whose outcome is still unknown; null if the outcome is known. */
  readonly begun: BegunChange | null;
  /** The new status of the ticket, and the platform's time of it. */
  readonly status?: TicketStatus;
  readonly statusAt?: Date;
  /** The reason why the change was not made, or may not have been made. */
  readonly error: string | null;
  /** Whether the change is complete and appears in the timeline. */
  readonly isOver: boolean;
  /** Whether the platform did not show the ticket before either. The timeline then already contains that. */
  readonly isStillHidden?: boolean;
  /** Delay before the next attempt, if one is needed. */
  readonly againAfterMs: number;
  /** Pause for the whole connector. Set if the platform asked for a pause, or would refuse every other request. */
  readonly quietMs?: number;
  readonly refusesAll?: boolean;
}

/**
 * Result of an attempt. `tries` is the number of consecutive failed attempts before this one.
 * @param hidden the value of `hidden` before the attempt
 */
export function afterUpdate(
  change: BegunChange,
  outcome: UpdateOutcome,
  tries: number,
  now: Date,
  hidden?: Told['hidden'],
): ChangeStep {
  const step = stepAfter(change, outcome, tries, now);
  if (outcome.kind === 'gone') {
    const at = now.toISOString();
    const told = { hidden: { since: hidden?.since ?? at, at } };
    return { ...step, told, ...(hidden && { isStillHidden: true }) };
  }
  // The change is over and the platform has shown the ticket, so it is not hidden any more.
  return step.isOver && hidden ? { ...step, told: { ...step.told, hidden: null } } : step;
}

function stepAfter(change: BegunChange, outcome: UpdateOutcome, tries: number, now: Date): ChangeStep {
  switch (outcome.kind) {
    case 'updated':
      return {
        ...over(outcome.kept === undefined ? 'made' : 'kept', toldBy(change, now), outcome.kept ?? null),
        ...statusAfter(change, outcome, now),
      };
    case 'gone':
      return over('hidden', {}, outcome.message);
    case 'refused':
      return refused(change, outcome.code, outcome.message, tries, now);
    case 'retryable': {
      // The change stays recorded, because the request of an earlier attempt may have arrived.
      const begun = change.sends > 1 ? { ...change, sends: change.sends - 1 } : null;
      const asked = Math.min(Math.max(0, outcome.retryAfterMs ?? 0), RETRY_AFTER_MAX_MS);
      const step = again(begun, outcome.message, tries);
      if (asked === 0) return step;
      return { ...step, againAfterMs: Math.max(asked, step.againAfterMs), quietMs: asked };
    }
    case 'uncertain':
      if (change.kind === 'comment' && change.sends >= COMMENT_SENDS_MAX) {
        return over('unanswered', toldBy(change, now), outcome.message);
      }
      return again(change, outcome.message, tries);
  }
}

function refused(change: BegunChange, code: string, message: string, tries: number, now: Date): ChangeStep {
  // The platform refuses all requests of the connector, not only this ticket, until a person corrects the cause.
  if (code === 'auth' || code === 'hibernating') {
    const begun = change.sends > 1 ? { ...change, sends: change.sends - 1 } : null;
    return { ...again(begun, message, Math.max(tries, 3)), refusesAll: true };
  }
  // Nothing was added to the ticket. If people reopen it later, these occurrences are reported at that time.
  if (change.kind === 'reopen') return over('refused', { ended: 'declined' }, message);
  const told = { ...toldBy(change, now), ...(code === 'declined' && { ended: 'declined' as const }) };
  return over('refused', told, message);
}

const STATUS_AFTER: Partial<Record<ChangeKind, TicketStatus>> = { resolve: 'resolved', reopen: 'open' };

function statusAfter(
  { kind }: BegunChange,
  { status = STATUS_AFTER[kind], occurredAt }: UpdateOutcome & { readonly kind: 'updated' },
  now: Date,
): Pick<ChangeStep, 'status' | 'statusAt'> {
  if (status === undefined) return {};
  return { status, ...(occurredAt && { statusAt: notAfter(now, occurredAt) }) };
}

function toldBy({ kind, occurrences, severity }: BegunChange, now: Date): Partial<Told> {
  const at = now.toISOString();
  switch (kind) {
    case 'comment':
    case 'reopen':
      return { occurrences, at, commented: true };
    case 'priority':
      return { severity };
    case 'resolve':
      return { occurrences, resolved: true, at, commented: true };
  }
}

function over(result: ChangeResult, told: Partial<Told>, error: string | null): ChangeStep {
  return { result, told, begun: null, error, isOver: true, againAfterMs: 0 };
}

function again(begun: BegunChange | null, error: string, tries: number): ChangeStep {
  const againAfterMs = CHANGE_DELAYS_MS[Math.min(tries, CHANGE_DELAYS_MS.length - 1)] ?? COMMENT_APART_MS;
  return { result: 'retrying', told: {}, begun, error, isOver: false, againAfterMs };
}
