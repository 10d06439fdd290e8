import type { Severity } from '#core';
import type { RejectionCode, TicketRef } from './create-outcome.js';
import type { TicketStatus } from './ticket-state.js';

/** The kinds of changes of an existing ticket. */
export const CHANGE_KINDS = ['comment', 'priority', 'resolve', 'reopen'] as const;

/**
 * `comment`: add the text. `priority`: raise the priority. `resolve`: resolve the ticket and add the text. `reopen`: make
 * the ticket open if it is resolved, and add the text.
 */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One change of a ticket on its platform. */
export interface TicketChange {
  readonly kind: ChangeKind;
  /**
   * Unique key of the change, a canonical UUID. The text contains the key, so that the text can be found on the ticket.
   */
  readonly key: string;
  /**
   * Plain text for people, with lines separated by `\n`. It contains the key. Empty for a change of kind `priority`.
   */
  readonly text: string;
  /**
   * Title of the ticket. Platforms that reopen a ticket by creating a new entry need it. It may contain any characters.
   */
  readonly title?: string;
  /** Severity of the incident. */
  readonly severity: Severity;
  /** Severity for which the service last set the priority. */
  readonly severityBefore: Severity;
  /** Whether an earlier attempt may have made the change. Always true if a new incident reopens the ticket. */
  readonly repeated: boolean;
}

/** The outcome of one attempt to change a ticket. Messages are sentences for the operator, without secrets. */
export type UpdateOutcome =
  /**
   * The ticket is as requested. If people decided otherwise, `kept` says what was left unchanged. `status`: the status
   * of the ticket, if known. `occurredAt`: the platform's time of that status; reports of earlier changes are ignored.
   * If `occurredAt` is missing, the time at which the attempt began is used, by the `Date` of the platform's answers.
   * `ref`: the new id, if the platform renamed the ticket.
   */
  | {
      readonly kind: 'updated';
      readonly status?: TicketStatus;
      readonly occurredAt?: Date;
      readonly ref?: TicketRef;
      readonly kept?: string;
    }
  /**
   * The platform itself reports that the ticket does not exist. A 404 alone does not prove that, because the platform
   * may hide the ticket.
   */
  | { readonly kind: 'gone'; readonly message: string }
  /**
   * The platform permanently refuses this change. `declined` means that people ended the ticket in a way that must not
   * be undone, such as “Won’t Do” or closed.
   */
  | { readonly kind: 'refused'; readonly code: RejectionCode | 'declined'; readonly message: string }
  /** The ticket was certainly not changed. A retry may succeed. */
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfterMs?: number }
  /** The platform may have made the change. The service repeats the change with `repeated: true`. */
  | { readonly kind: 'uncertain'; readonly message: string };

// Resolutions in Jira and close codes in ServiceNow that decline a ticket, in lower case.
const DECLINED = /^(won['’]?t|wont|will not)[ -]?(do|fix)\b|^declined$|^rejected$|too costly/;

/** Whether a resolution means that people decided not to solve the matter, such as `Won't Do`. */
export function isDeclined(resolution: string | null | undefined): boolean {
  return DECLINED.test(resolution?.trim().toLowerCase() ?? '');
}
