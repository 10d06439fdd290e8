import { defined, type Severity } from '#core';
import { AdapterHttpError } from './adapter-http.js';
import type { TicketRef } from './create-outcome.js';
import { PlatformAnswerError } from './platform-answer.js';
import { isDeclined, type TicketChange, type UpdateOutcome } from './ticket-change.js';
import type { TicketState } from './ticket-state.js';

/** The part of a change that one request makes. */
export interface ChangePart {
  /** The text to add. */
  readonly text?: string;
  /** The new status of the ticket: resolved, or open again. */
  readonly to?: 'resolved' | 'open';
  /** `severity` selects the new priority, `severityBefore` the one that the service set last. */
  readonly severity?: Severity;
  readonly severityBefore?: Severity;
}

/** A ticket as it was read from the platform, with the functions that change it. */
export interface FoundTicket {
  /** The status of the ticket. Undefined if the platform does not report it. */
  readonly state: TicketState | undefined;
  /** The current id of the ticket, on platforms where people can rename it. */
  readonly ref?: TicketRef | undefined;
  /** Reason not to reopen the ticket. Default: a sentence if the ticket's resolution is a word such as “Won’t Do”. */
  readonly declined?: string | undefined;
  /**
   * Reason not to change the ticket at all, for example because it was moved to a place that the account cannot reach.
   */
  readonly untouchable?: string | undefined;
  /** Whether the ticket has the priority that belongs to a severity. */
  hasPriority(severity: Severity): boolean;
  /** Whether a text with this key was added earlier. @throws AdapterHttpError, PlatformAnswerError */
  hasText(key: string): Promise<boolean> | boolean;
  /** Changes the ticket with one atomic request. @throws AdapterHttpError */
  write(part: ChangePart): Promise<UpdateOutcome>;
  /** Whether text and status must be changed by separate requests. Default: one request changes both. */
  readonly isInSteps?: boolean;
}

/**
 * Applies a change to the ticket that was read. `found` is null if the ticket does not exist. Keeps a status that is
 * already right, and a priority that people chose. Does not reopen a ticket that people declined. Adds each text only
 * once. If separate requests are needed, the first one adds the text. If the second one fails, the outcome is
 * uncertain, so that the retry looks for the text before it adds it.
 * @throws PlatformAnswerError, AdapterHttpError as `update` of the port
 */
export async function changeTicket(
  found: FoundTicket | null,
  { externalTicketId }: TicketRef,
  change: TicketChange,
): Promise<UpdateOutcome> {
  if (!found) {
    return { kind: 'gone', message: 'The ticket is not shown: it was deleted, or the account may not see it.' };
  }
  const { state, ref, untouchable } = found;
  if (!state) throw new PlatformAnswerError('The platform did not return the state of the ticket.');
  if (untouchable !== undefined) return { kind: 'refused', code: 'declined', message: untouchable };
  const outcome = change.kind === 'priority' ? await raise(found, change) : await follow(found, state, change);
  const isRenamed = ref !== undefined && ref.externalTicketId !== externalTicketId;
  return outcome.kind === 'updated' && isRenamed ? { ...outcome, ref } : outcome;
}

/**
 * Raises the priority, unless people chose it. They did so if it differs from the priority that the service set last.
 */
async function raise(found: FoundTicket, { severity, severityBefore }: TicketChange): Promise<UpdateOutcome> {
  if (found.hasPriority(severity)) return { kind: 'updated' };
  if (found.hasPriority(severityBefore)) return found.write({ severity, severityBefore });
  return { kind: 'updated', kept: 'People changed the priority of the ticket, so it was not raised.' };
}

async function follow(found: FoundTicket, state: TicketState, change: TicketChange): Promise<UpdateOutcome> {
  const { kind, key, text, repeated } = change;
  const isOver = state.status === 'resolved' || state.status === 'closed';
  if (kind === 'reopen' && isOver) {
    const sentence = `People ended the ticket with “${state.resolution ?? ''}”, so it is not reopened.`;
    const message = found.declined ?? (isDeclined(state.resolution) ? sentence : undefined);
    if (message !== undefined) return { kind: 'refused', code: 'declined', message };
  }
  const wanted = { comment: undefined, priority: undefined, resolve: 'resolved', reopen: 'open' } as const;
  // If people have already changed the status, only the text is added.
  const to = isOver === (kind === 'resolve') ? undefined : wanted[kind];
  const isThere = repeated && (await found.hasText(key));
  const known = { status: state.status, ...defined({ occurredAt: state.occurredAt }) };
  if (to === undefined) {
    const said: UpdateOutcome = isThere ? { kind: 'updated' } : await found.write({ text });
    return said.kind === 'updated' ? { ...known, ...said } : said;
  }
  // One request adds the text and changes the status. If the text is there, the request was made, and people have
  // changed the status since.
  if (found.isInSteps !== true) return isThere ? { kind: 'updated', ...known } : found.write({ text, to });
  const said: UpdateOutcome = isThere ? { kind: 'updated' } : await found.write({ text });
  return said.kind === 'updated' ? afterText(() => found.write({ to })) : said;
}

/**
 * Changes the status after the text was added. The next attempt must look for the text, so every failure is uncertain
 * except a permanent refusal.
 */
async function afterText(write: () => Promise<UpdateOutcome>): Promise<UpdateOutcome> {
  try {
    const outcome = await write();
    if (outcome.kind === 'updated') return outcome;
    const isFinal = outcome.kind === 'refused' && outcome.code !== 'auth' && outcome.code !== 'hibernating';
    return isFinal ? outcome : { kind: 'uncertain', message: outcome.message };
  } catch (error) {
    if (!(error instanceof AdapterHttpError || error instanceof PlatformAnswerError)) throw error;
    return { kind: 'uncertain', message: error.message };
  }
}
