import { SEVERITIES, type Severity } from '#core';
import { CHANGE_KINDS, isDeclined, type ChangeKind, type UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { RETRY_AFTER_MAX_MS } from './next-step.js';

/** The state of an incident that the platform was last told. A type, so that it is JSON to the compiler. */
export type Told = {
  occurrences: number;
  severity: Severity;
  resolved: boolean;
  /** Time of the last text with the number of occurrences; before any, of the ticket's own text. ISO 8601. */
  at: string;
  /** Whether a text came after the ticket's own. */
  commented: boolean;
  /** `gone`: the platform shows no such ticket. `declined`: people ended it, and it must stay so. */
  ended?: 'gone' | 'declined' | null;
};

/** A change that was begun and whose outcome is not known, or is about to be sent. */
export type BegunChange = {
  kind: ChangeKind;
  key: string;
  occurrences: number;
  severity: Severity;
  /** Attempts whose outcome is not known, this one among them. */
  sends: number;
};

/** A ticket and its incident, as far as changes depend on them. */
export interface ChangeStanding {
  readonly incident: { readonly occurrences: number; readonly severity: Severity; readonly isResolved: boolean };
  readonly told: Told;
  readonly begun: BegunChange | null;
  /** The last known status on the platform. */
  readonly status: TicketStatus | null;
  readonly resolution: string | null;
  /** The ticket of a later incident took over: updates go to that ticket from now on. */
  readonly isSuperseded: boolean;
}

/** The next step for a ticket. */
export type NextChange =
  /** `begun`: an earlier attempt has no known outcome. */
  | { readonly kind: 'send'; readonly what: ChangeKind; readonly begun: BegunChange | null }
  /** The ticket already has the desired state; only record it. */
  | { readonly kind: 'note'; readonly told: Partial<Told> }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'none' };

/** After the ticket's own text, the first comment waits this long, so that one comment tells of a whole burst. */
export const FIRST_COMMENT_MS = 30_000;

/** Milliseconds between two texts about occurrences. */
export const COMMENT_APART_MS = 3_600_000;

/** How often a comment without a known outcome is sent. The next comment has its number of occurrences, too. */
const COMMENT_SENDS_MAX = 3;

/** Milliseconds before each new attempt; then the last one. A change is never given up for its platform's silence. */
export const CHANGE_DELAYS_MS = [1_000, 5_000, 30_000, 300_000, 900_000, 3_600_000] as const;

const NONE: NextChange = { kind: 'none' };

/**
 * The next change of a ticket. What the platform should know is compared with what it was told, so changes that come
 * together are told together. The platform's own changes are respected: a priority and a status that people chose are
 * not changed back. Only news reopen a ticket that people resolved, and nothing reopens one that they declined.
 * @param kinds the changes that the platform can make
 */
export function nextChange(
  standing: ChangeStanding,
  now: Date,
  kinds: readonly ChangeKind[] = CHANGE_KINDS,
): NextChange {
  const { incident, told, begun, status, resolution, isSuperseded } = standing;
  if (begun) return { kind: 'send', what: begun.kind, begun };
  if (told.ended === 'gone' || told.resolved || isSuperseded) return NONE;
  const isOver = status === 'resolved' || status === 'closed';
  if (incident.isResolved) {
    if (isOver) return { kind: 'note', told: { resolved: true } };
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
  // A clock that went back must not make a comment wait for longer than it ever does.
  return milliseconds > 0 ? { kind: 'wait', milliseconds: Math.min(milliseconds, COMMENT_APART_MS) } : send(what);
}

/** The record of an attempt. */
export interface ChangeStep {
  readonly told: Partial<Told>;
  /** The change that stays begun; null if the outcome is known. */
  readonly begun: BegunChange | null;
  /** The new status on the platform. */
  readonly status?: TicketStatus;
  /** Why the change was not made. */
  readonly error: string | null;
  /** Whether the change is over, so that the timeline shows it. */
  readonly isOver: boolean;
  /** Pause before the next attempt, if another one is needed. */
  readonly againAfterMs: number;
  /** The platform asks for a pause, or would refuse every other request. */
  readonly quietMs?: number;
  readonly refusesAll?: boolean;
}

/** Maps an outcome to a record. `tries`: attempts in a row that failed before this one. */
export function afterUpdate(change: BegunChange, outcome: UpdateOutcome, tries: number, now: Date): ChangeStep {
  switch (outcome.kind) {
    case 'updated':
      return over(toldBy(change, now), outcome.kept ?? null, outcome.status ?? STATUS_AFTER[change.kind]);
    case 'gone':
      return over({ ended: 'gone' }, outcome.message);
    case 'refused':
      return refused(change, outcome.code, outcome.message, tries, now);
    case 'retryable': {
      // A change whose earlier attempt may have arrived stays begun.
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
  // The connector is at fault, not the ticket: the platform refuses all its requests until somebody mends it.
  if (code === 'auth' || code === 'hibernating') {
    const begun = change.sends > 1 ? { ...change, sends: change.sends - 1 } : null;
    return { ...again(begun, message, Math.max(tries, 3)), refusesAll: true };
  }
  const isEnd = change.kind === 'reopen' || code === 'declined';
  return over({ ...toldBy(change, now), ...(isEnd && { ended: 'declined' as const }) }, message);
}

const STATUS_AFTER: Partial<Record<ChangeKind, TicketStatus>> = { resolve: 'resolved', reopen: 'open' };

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

function over(told: Partial<Told>, error: string | null, status?: TicketStatus): ChangeStep {
  return { told, begun: null, error, isOver: true, againAfterMs: 0, ...(status !== undefined && { status }) };
}

function again(begun: BegunChange | null, error: string, tries: number): ChangeStep {
  const againAfterMs = CHANGE_DELAYS_MS[Math.min(tries, CHANGE_DELAYS_MS.length - 1)] ?? COMMENT_APART_MS;
  return { told: {}, begun, error, isOver: false, againAfterMs };
}
