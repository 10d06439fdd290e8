import { SEVERITIES, type Severity } from '#core';
import { CHANGE_KINDS, isDeclined, type ChangeKind, type UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { RETRY_AFTER_MAX_MS } from './next-step.js';
import { notAfter } from './platform-time.js';

/** The state of an incident that the platform knows. A type alias, because TypeScript accepts no interface as JSON. */
export type Told = {
  occurrences: number;
  severity: Severity;
  resolved: boolean;
  /** Time of the last text about occurrences, initially that of the ticket's description. ISO 8601. */
  at: string;
  /** Whether a comment followed the ticket's description. */
  commented: boolean;
  /** `declined`: people ended the ticket, and it must stay so. Version 0.1.0 also wrote `gone`, which has no effect. */
  ended?: 'gone' | 'declined' | null;
  /** Since when the platform does not show the ticket, and the time of the last look. ISO 8601. */
  hidden?: { since: string; at: string } | null;
};

/** A change that is about to be sent, or was sent with an unknown outcome. */
export type BegunChange = {
  kind: ChangeKind;
  key: string;
  occurrences: number;
  severity: Severity;
  /** Number of attempts with an unknown outcome, including this one. */
  sends: number;
};

/** The state of a ticket and its incident on which changes depend. */
export interface ChangeStanding {
  readonly incident: { readonly occurrences: number; readonly severity: Severity; readonly isResolved: boolean };
  readonly told: Told;
  readonly begun: BegunChange | null;
  /** The last known status on the platform. */
  readonly status: TicketStatus | null;
  readonly resolution: string | null;
  /** A newer incident uses the ticket, so updates go there from now on. */
  readonly isSuperseded: boolean;
}

/** The next step for a ticket. */
export type NextChange =
  /** `begun`: an earlier attempt has no known outcome. */
  | { readonly kind: 'send'; readonly what: ChangeKind; readonly begun: BegunChange | null }
  /** The ticket already has the desired state, which only needs to be recorded. */
  | { readonly kind: 'note'; readonly told: Partial<Told> }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'none' };

/** Delay of the first comment, so that one comment covers a whole burst. */
export const FIRST_COMMENT_MS = 30_000;

/** Minimum distance between two comments about occurrences, in milliseconds. */
export const COMMENT_APART_MS = 3_600_000;

/**
 * Distance between two looks at a ticket that the platform does not show, in milliseconds. Platforms answer the same for
 * deleted tickets and for tickets that the account may not see, and a missing right may be granted later.
 */
export const LOOKS_APART_MS = 86_400_000;

/** A ticket that the platform has not shown for this long counts as deleted. A month, as in the reconciliation. */
export const LOOKED_FOR_DAYS = 30;

/** Maximum number of attempts with an unknown outcome for a comment. Attempts are counted per comment. */
const COMMENT_SENDS_MAX = 3;

/**
 * Delays in milliseconds before each retry; the last one repeats. The service never gives up because a platform is
 * silent.
 */
export const CHANGE_DELAYS_MS = [1_000, 5_000, 30_000, 300_000, 900_000, 3_600_000] as const;

const NONE: NextChange = { kind: 'none' };

/**
 * Decides the next change of a ticket, from the difference between the incident and what the platform was last told. So
 * changes that happen together are sent together. Decisions of people are kept: a priority and a status that they chose
 * are not changed back. A ticket that people resolved is reopened only for new occurrences, and one that they declined
 * is never reopened. A ticket that the platform does not show is looked at once a day, for a month.
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
  // Also while it waits whether a newer incident takes the ticket over. If none does, and people reopen it, it stays open.
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
  // If the clock went back, the wait must still not exceed its maximum.
  return milliseconds > 0 ? { kind: 'wait', milliseconds: Math.min(milliseconds, COMMENT_APART_MS) } : send(what);
}

/** The stored result of an attempt. */
export interface ChangeStep {
  readonly told: Partial<Told>;
  /** The change whose outcome is still unknown; null if it is known. */
  readonly begun: BegunChange | null;
  /** The new status on the platform, and the platform's time of it. */
  readonly status?: TicketStatus;
  readonly statusAt?: Date;
  /** Why the change was not made. */
  readonly error: string | null;
  /** Whether the change is complete and appears in the timeline. */
  readonly isOver: boolean;
  /** Whether the platform still does not show the ticket, which the timeline shows already. */
  readonly isStillHidden?: boolean;
  /** Delay before the next attempt, if one is needed. */
  readonly againAfterMs: number;
  /** Pause for the whole connector: the platform asked for it, or would refuse every other request. */
  readonly quietMs?: number;
  readonly refusesAll?: boolean;
}

/**
 * Result of an attempt. `tries`: number of consecutive failed attempts before this one.
 * @param hidden as told before the attempt
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
  // The platform has shown the ticket.
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
      // The change stays open, because an earlier attempt may have arrived.
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
  // The connector is at fault, not the ticket: the platform refuses all its requests until a person fixes it.
  if (code === 'auth' || code === 'hibernating') {
    const begun = change.sends > 1 ? { ...change, sends: change.sends - 1 } : null;
    return { ...again(begun, message, Math.max(tries, 3)), refusesAll: true };
  }
  // Nothing was added to the ticket. If people reopen it later, these occurrences are reported then.
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
