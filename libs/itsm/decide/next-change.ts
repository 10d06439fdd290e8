import { SEVERITIES, type Severity } from '#core';
import { CHANGE_KINDS, isDeclined, type ChangeKind } from '../adapter/ticket-change.js';
import type { TicketStatus } from '../adapter/ticket-state.js';

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
  /** The ticket already has the requested state. Only this needs to be recorded. A change that was begun ends with it. */
  | { readonly kind: 'note'; readonly told: Partial<Told>; readonly ends?: true }
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
  // While the outcome was unknown, the ticket was reported as over. A retry could resolve it after people reopened it.
  if (begun?.kind === 'resolve' && told.resolved) return { kind: 'note', told: { resolved: true }, ends: true };
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
