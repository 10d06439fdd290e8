import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#core';
import { AdapterHttpError } from '../adapter/adapter-http.js';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { AdapterContext, Check, ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { PlatformAnswerError } from '../adapter/platform-answer.js';

/** Milliseconds before each further search for a ticket that was created a moment ago. */
const SEARCHES_MS = { strong: [1_000], eventual: [1_000, 2_000, 4_000, 8_000], none: [] } as const;

/** A test ticket. */
export interface TestTicket {
  /** Key of the ticket, with which it is searched. */
  readonly key: string;
  /** Reference of the ticket. Undefined if the answer to the create was lost, or did not name a ticket. */
  readonly ref?: TicketRef | undefined;
}

type Context = AdapterContext<object, object> & { readonly clock: Clock };

/**
 * Checks whether the account can see a ticket that it has just created, because platforms may hide it without an error.
 * Reads the ticket by id, like the reconciliation, and searches it by key, as after a lost answer. Does not throw.
 * @param pause waits for the given number of milliseconds
 */
export async function readBack(
  adapter: ItsmAdapter,
  context: Context,
  ticket: TestTicket,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<Check[]> {
  const { ref } = ticket;
  const checks: Check[] = [];
  if (ref && adapter.status) checks.push(await checked(BY_ID, () => byId(adapter, context, ref)));
  if (adapter.capabilities.findByKey !== 'none') {
    checks.push(await checked(BY_KEY, () => byKey(adapter, context, ticket.key, pause)));
  }
  return checks;
}

const BY_ID = 'The account sees the ticket by its id';
const BY_KEY = 'The account finds the ticket by its key';

const UNSEEN =
  'The platform hides the ticket from the account that created it: grant the account read access to tickets. ' +
  'Without it, their status cannot be read.';
const UNFOUND =
  'The platform does not find the ticket that was just created: grant the account read access to tickets. Without ' +
  'it, a ticket whose answer is lost is created again, at most twice, and then waits for a person.';
const UNINDEXED =
  'The search has not found the ticket within 15 seconds. If its search index is only slow, you need not do ' +
  'anything. Otherwise grant the account read access to tickets: without it, a ticket whose answer is lost is ' +
  'created again, at most twice.';

type Finding = Pick<Check, 'status' | 'message'>;

async function byId(adapter: ItsmAdapter, context: Context, ref: TicketRef): Promise<Finding> {
  const state = await adapter.status?.(context, ref);
  return state ? { status: 'passed', message: `It is ${state.status}.` } : { status: 'failed', message: UNSEEN };
}

async function byKey(
  adapter: ItsmAdapter,
  context: Context,
  key: string,
  pause: (milliseconds: number) => Promise<unknown>,
): Promise<Finding> {
  const findByKey = adapter.capabilities.findByKey;
  for (const wait of [0, ...SEARCHES_MS[findByKey]]) {
    if (wait > 0) await pause(wait);
    const [found] = await adapter.findByKey(context, key);
    if (found) return { status: 'passed', message: `It is ${found.externalTicketId}.` };
  }
  return findByKey === 'strong' ? { status: 'failed', message: UNFOUND } : { status: 'warning', message: UNINDEXED };
}

async function checked(name: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    // The message of any other error may contain secrets, so it is not shown.
    const isPlain = error instanceof PlatformAnswerError || error instanceof AdapterHttpError;
    return { name, status: 'failed', message: isPlain ? error.message : 'The adapter failed during the search.' };
  }
}
