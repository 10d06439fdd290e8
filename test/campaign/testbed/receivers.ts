import { answer, BEHAVIOURS, slow, type Behaviour, type ReceivedRequest } from '../../support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../support/https-endpoint.js';
import type { Authority } from '../../support/certificates.js';
import { newChance, type Chance } from '../../faults/processes/chance.js';
import { now, type JournalFile, type Post } from '../journal.js';

const SLOWEST_MS = 4_000;
/**
 * Number of attempts of an event that fail at the unreliable receiver. Later attempts succeed: the third comes six
 * seconds after the first.
 */
const FAILURES_PER_EVENT = 2;

/** The receivers of a campaign. Their names are the paths of their webhooks. */
export const RECEIVERS = ['fine', 'slow', 'unreliable'] as const;

export interface Receivers {
  readonly endpoint: Endpoint;
  /** Makes all receivers answer late from now on, or normally again. */
  slowDown(isSlow: boolean): void;
  /** From now on, all receivers answer every event with 2xx, and without delay. */
  mend(): void;
}

/** Starts the receivers: one answers at once, one late, and one accepts events and then reports an error. */
export async function startReceivers(authority: Authority, journal: JournalFile, seed: number): Promise<Receivers> {
  const chance = newChance(seed);
  const failures = new Map<string, number>();
  let isSlow = false;
  let isReliable = false;
  const failureOf = (event: string): 'error' | 'reset' | undefined => {
    const failed = failures.get(event) ?? 0;
    if (isReliable || failed >= FAILURES_PER_EVENT) return undefined;
    failures.set(event, failed + 1);
    return chance.below(2) === 0 ? 'error' : 'reset';
  };
  const endpoint = await startEndpoint({
    authority,
    keep: false,
    behaviour: request => {
      const post = postOf(request, failureOf);
      journal.write(post);
      return behaviourOf(post, isSlow, chance);
    },
  });
  return {
    endpoint,
    slowDown: next => void (isSlow = next),
    mend: () => {
      isReliable = true;
      isSlow = false;
    },
  };
}

function postOf(
  { path, headers, body }: ReceivedRequest,
  failureOf: (event: string) => 'error' | 'reset' | undefined,
): Post {
  const receiver = path.slice(1);
  const event = String(headers['webhook-id']);
  return {
    receiver,
    event,
    at: now(),
    body: body.toString('utf8'),
    signature: String(headers['x-service-signature']),
    answered: (receiver === 'unreliable' ? failureOf(event) : undefined) ?? 'ok',
  };
}

function behaviourOf({ answered, receiver }: Post, isSlow: boolean, chance: Chance): Behaviour {
  if (answered === 'reset') return BEHAVIOURS.reset;
  if (answered === 'error') return answer(500, 'not today');
  return receiver === 'slow' || isSlow ? slow(chance.below(SLOWEST_MS)) : BEHAVIOURS.ok;
}
