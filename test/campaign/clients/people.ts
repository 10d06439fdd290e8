import { Caller, type Surroundings } from './caller.js';

/** Suspends people, and reinstates them after some seconds. */
export async function suspend(surroundings: Surroundings, seed: number, guests: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  while (!caller.isOver) {
    const user = caller.pick(guests);
    const change = (what: 'offboard' | 'reinstate') =>
      caller.insist({
        what,
        method: 'POST',
        path: `/v1/users/${user}/${what}`,
        body: {},
        asked: { user },
        keep: statusOf,
      });
    await change('offboard');
    await caller.pause(5_000);
    await change('reinstate');
    await caller.pause(1_500);
  }
}

/** Keeps requesting decisions about users who may be suspended. */
export async function askAbout(surroundings: Surroundings, seed: number, guests: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  while (!caller.isOver) {
    await caller.pause(80);
    const body = { user_id: caller.pick(guests), provider: 'acme', model: 'free-1' };
    await caller.send({ what: 'decide', method: 'POST', path: '/v1/decisions', body });
  }
}

function statusOf({ body }: { body: Record<string, unknown> }): object {
  return { status: body['status'] };
}
