import { Caller, type Surroundings } from './caller.js';

const LARGEST_BATCH = 10;

/**
 * Reports usage without a decision, in batches. Repeats some batches on purpose. Some batches are never repeated, even
 * if their answer is lost.
 */
export async function report(surroundings: Surroundings, seed: number, users: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  for (let n = 1; !caller.isOver; n++) {
    await caller.pause(400);
    const events = Array.from({ length: 1 + caller.chance.below(LARGEST_BATCH) }, (_, at) => ({
      id: `report ${seed} ${n} ${at}`,
      user_id: caller.pick(users),
      provider: 'acme',
      model: `acme-plain-${caller.chance.below(3)}`,
      occurred_at: new Date().toISOString(),
      input_tokens: caller.chance.below(5_000),
      output_tokens: caller.chance.below(1_000),
    }));
    const request = { what: 'report', method: 'POST', path: '/v1/usage/events', body: { events } } as const;
    if (caller.chance.below(3) === 0) await caller.send(request);
    else await caller.insist(request);
    if (caller.chance.below(3) === 0) await caller.send(request);
  }
}
