import type { Severity } from '#core';
import { AdapterHttpError } from './adapter-http.js';
import type { TicketRef } from './create-outcome.js';
import { PlatformAnswerError } from './platform-answer.js';
import { isDeclined, type TicketChange, type UpdateOutcome } from './ticket-change.js';
import type { TicketState } from './ticket-state.js';

/** What is changed by one request. */
export interface ChangePart {
  /** A text to add. */
  readonly text?: string;
  /** The status that the ticket gets: it is to be resolved, or reopened. */
  readonly to?: 'resolved' | 'open';
  /** The severity whose priority the ticket gets, and the one whose priority it has. */
  readonly severity?: Severity;
  readonly severityBefore?: Severity;
}

/** A ticket as the platform shows it, and how it is changed. */
export interface FoundTicket {
  /** Undefined if the platform does not say where the ticket stands. */
  readonly state: TicketState | undefined;
  /** Its present name, if people may have renamed it. */
  readonly ref?: TicketRef | undefined;
  /** Why the ticket must not be reopened. Default: a sentence, if its resolution is a word such as “Won’t Do”. */
  readonly declined?: string | undefined;
  /** Why the ticket is not changed at all, such as after it was moved out of reach. */
  readonly untouchable?: string | undefined;
  /** Whether the ticket has the priority of a severity. */
  hasPriority(severity: Severity): boolean;
  /** Whether a text with this key was added before. @throws AdapterHttpError, PlatformAnswerError */
  hasText(key: string): Promise<boolean> | boolean;
  /** Changes the ticket by one request, all or nothing. @throws AdapterHttpError */
  write(part: ChangePart): Promise<UpdateOutcome>;
  /** Whether a text and a status need a request each. Default: one request makes both. */
  readonly isInSteps?: boolean;
}

/**
 * Makes a change of a ticket that was read, null if the platform says that it has none. Leaves alone what is right already
 * and what people chose, does not reopen what they declined, and adds a text once. In steps, the text goes first: where
 * the rest fails, the attempt is uncertain, so its repetition looks for the text.
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

/** A priority that is not the one that was last set is the choice of people. */
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
  // Where people have brought it there already, the text is all there is to add.
  const to = isOver === (kind === 'resolve') ? undefined : wanted[kind];
  const isThere = repeated && (await found.hasText(key));
  if (to === undefined) {
    const said: UpdateOutcome = isThere ? { kind: 'updated' } : await found.write({ text });
    return said.kind === 'updated' ? { status: state.status, ...said } : said;
  }
  if (found.isInSteps !== true) return isThere ? { kind: 'updated' } : found.write({ text, to });
  const said: UpdateOutcome = isThere ? { kind: 'updated' } : await found.write({ text });
  return said.kind === 'updated' ? afterText(() => found.write({ to })) : said;
}

/** The text is there, so the next attempt must look for it: only a refusal for good is no doubt. */
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
