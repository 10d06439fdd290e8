import { SEVERITIES, type Severity } from '#core';
import { CHANGE_KINDS, isDeclined, type ChangeKind, type UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { RETRY_AFTER_MAX_MS } from './next-step.js';
import { notAfter } from './platform-time.js';

/** The incident's state as last reported. A type alias, because TypeScript does not accept an interface as JSON. */
export type Told = {
  occurrences: number;
  severity: Severity;
  resolved: boolean;
  /** Time of the last text that reported occurrences, in ISO 8601. The first such text is the ticket's description. */
  at: string;
  /** Whether a comment was added after the ticket's description. */
  commented: boolean;
  /** `declined`: people ended the ticket for good. Version 0.1.0 also wrote `gone`, which has no effect. */
  ended?: 'gone' | 'declined' | null;
  /** Time since which the platform does not show the ticket, and time of the last attempt to see it. ISO 8601. */
  hidden?: { since: string; at: string } | null;
};

/** A change that is about to be sent, or that was sent and whose outcome is unknown. */
export type BegunChange = {
  kind: ChangeKind;
  key: string;
  occurrences: number;
  severity: Severity;
  /** Number of attempts whose outcome is unknown, including the current one. */
  sends: number;
};

/** The state of a ticket and its incident, from which the next change is decided. */
export interface ChangeStanding {
  readonly incident: { readonly occurrences: number; readonly severity: Severity; readonly isResolved: boolean };
  readonly told: Told;
  readonly begun: BegunChange | null;
  /** The ticket's last known status on the platform. */
  readonly status: TicketStatus | null;
  readonly resolution: string | null;
  /** Whether a newer incident uses the same ticket on the platform. If so, updates are sent for the newer incident. */
  readonly isSuperseded: boolean;
}

/** The next step for a ticket. */
export type NextChange =
  /** `begun` is set if the outcome of an earlier attempt is unknown. */
  | { readonly kind: 'send'; readonly what: ChangeKind; readonly begun: BegunChange | null }
  /** The ticket already has the requested state. Only this needs to be recorded. */
  | { readonly kind: 'note'; readonly told: Partial<Told> }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'none' };

/** Delay of the first comment, so that one comment covers a whole burst. */
export const FIRST_COMMENT_MS = 30_000;

/** Minimum time between two comments about occurrences, in milliseconds. */
export const COMMENT_APART_MS = 3_600_000;

/**
 * Milliseconds between two attempts to see a ticket that the platform does not show. Platforms give the same answer for
 * a deleted ticket and for one that the account may not see yet.
 */
export const LOOKS_APART_MS = 86_400_000;

/** Milliseconds after which a ticket that is not shown counts as deleted: one month, as in the reconciliation. */
export const LOOKED_FOR_DAYS = 30;

/** Maximum number of attempts for one comment whose outcome is unknown. */
const COMMENT_SENDS_MAX = 3;

/**
 * Delays in milliseconds before each retry; the last delay repeats. The service never gives up because a platform does
 * not answer.
 */
export const CHANGE_DELAYS_MS = [1_000, 5_000, 30_000, 300_000, 900_000, 3_600_000] as const;

const NONE: NextChange = { kind: 'none' };

/**
 * Decides the next change of a ticket. Compares the incident with the state that was last reported to the platform, so
 * that changes which happen together are sent together. A priority or a status that people chose is kept. A ticket that
 * people resolved is reopened only for new occurrences; a ticket that they declined is never reopened. If the platform
 * does not show a ticket, the service tries to see it once a day, for a month.
 * @param kinds the changes that the platform can make
 */
export function nextChange(
  standing: ChangeStanding,
  now: Date,
  kinds: readonly ChangeKind[] = CHANGE_KINDS,
): NextChange {
  const next = differenceOf(standing, now, kinds);
  const { begun, told } = standing;
  return next.kind === 'send' && !begun && told.hidden ? look(next, told.hidden, now) : next;
}

function look(next: NextChange, { since, at }: NonNullable<Told['hidden']>, now: Date): NextChange {
  if (now.getTime() - Date.parse(since) > LOOKED_FOR_DAYS * LOOKS_APART_MS) return NONE;
  const milliseconds = Date.parse(at) + LOOKS_APART_MS - now.getTime();
  return milliseconds > 0 ? { kind: 'wait', milliseconds: Math.min(milliseconds, LOOKS_APART_MS) } : next;
}

function differenceOf(standing: ChangeStanding, now: Date, kinds: readonly ChangeKind[]): NextChange {
  const { incident, told, begun, status, resolution, isSuperseded } = standing;
  if (begun) return { kind: 'send', what: begun.kind, begun };
  if (told.resolved) return NONE;
  const isOver = status === 'resolved' || status === 'closed';
  // Recorded even while a newer incident may take over the ticket. If none does and people reopen it, it stays open.
  if (incident.isResolved && isOver) return { kind: 'note', told: { resolved: true } };
  if (isSuperseded) return NONE;
  if (incident.isResolved) {
    return kinds.includes('resolve') ? send('resolve') : NONE;
  }
  const isWorse = SEVERITIES.indexOf(incident.severity) < SEVERITIES.indexOf(told.severity);
  const isMore = incident.occurrences > told.occurrences;
  if (isOver) {
    if (told.ended === 'declined') return NONE;
    if (isDeclined(resolution)) return isWorse || isMore ? { kind: 'note', told: { ended: 'declined' } } : NONE;
    if (!kinds.includes('reopen')) return NONE;
    return isWorse ? send('reopen') : isMore ? paced('reopen', told, now) : NONE;
  }
  if (isWorse && kinds.includes('priority')) return send('priority');
  return isMore && kinds.includes('comment') ? paced('comment', told, now) : NONE;
}

function send(what: ChangeKind): NextChange {
  return { kind: 'send', what, begun: null };
}

function paced(what: ChangeKind, { at, commented }: Told, now: Date): NextChange {
  const due = Date.parse(at) + (commented ? COMMENT_APART_MS : FIRST_COMMENT_MS);
  const milliseconds = due - now.getTime();
  // If the clock was set back, the wait must not become longer than its maximum.
  return milliseconds > 0 ? { kind: 'wait', milliseconds: Math.min(milliseconds, COMMENT_APART_MS) } : send(what);
}

/** The result of an attempt, in the form in which it is stored. */
export interface ChangeStep {
  readonly told: Partial<Told>;
  /** The change whose outcome is still unknown; null if the outcome is known. */
  readonly begun: BegunChange | null;
  /** The new status of the ticket, and the platform's time of it. */
  readonly status?: TicketStatus;
  readonly statusAt?: Date;
  /** The reason why the change was not made. */
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
      return { ...over(toldBy(change, now), outcome.kept ?? null), ...statusAfter(change, outcome, now) };
    case 'gone':
      return over({}, outcome.message);
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
        return over(toldBy(change, now), outcome.message);
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
  if (change.kind === 'reopen') return over({ ended: 'declined' }, message);
  return over({ ...toldBy(change, now), ...(code === 'declined' && { ended: 'declined' as const }) }, message);
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

function over(told: Partial<Told>, error: string | null): ChangeStep {
  return { told, begun: null, error, isOver: true, againAfterMs: 0 };
}

function again(begun: BegunChange | null, error: string, tries: number): ChangeStep {
  const againAfterMs = CHANGE_DELAYS_MS[Math.min(tries, CHANGE_DELAYS_MS.length - 1)] ?? COMMENT_APART_MS;
  return { told: {}, begun, error, isOver: false, againAfterMs };
}
