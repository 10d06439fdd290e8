import { Caller, type Surroundings } from './caller.js';

/** Sends more requests than a limit allows. */
export async function pressLimit(surroundings: Surroundings, seed: number, users: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  while (!caller.isOver) {
    await caller.pause(400);
    const body = { user_id: caller.pick(users), provider: 'acme', model: 'limited-1' };
    await caller.send({ what: 'decide', method: 'POST', path: '/v1/decisions', body });
  }
}
