import { Caller, type Surroundings } from './caller.js';

const MODELS = ['forbidden-1', 'risky-1', 'risky-2'];
const NEW_PERSON_MS = 4_000;

/**
 * Requests models that policies block or report. The number of users grows, so that new incidents and tickets keep
 * coming.
 */
export async function violate(surroundings: Surroundings, seed: number, users: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  const begun = performance.now();
  while (!caller.isOver) {
    await caller.pause(400);
    const known = 1 + Math.floor((performance.now() - begun) / NEW_PERSON_MS);
    const body = { user_id: caller.pick(users.slice(0, known)), provider: 'acme', model: caller.pick(MODELS) };
    await caller.send({ what: 'decide', method: 'POST', path: '/v1/decisions', body });
  }
}
