import { Caller, type Surroundings } from './caller.js';

/** Three cents, because a token costs a millionth of a dollar. */
const REQUEST = { provider: 'acme', model: 'acme-1', estimated_input_tokens: 10_000, max_output_tokens: 20_000 };
const MOST_TOKENS = 30_000;

/** Requests decisions under budgets. Then reports the usage, releases the reservation, or does nothing. */
export async function spend(surroundings: Surroundings, seed: number, users: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  for (let n = 1; !caller.isOver; n++) {
    await caller.pause(250);
    const user = caller.pick(users);
    // A request that is repeated with its idempotency key gives one decision, also on another replica.
    const key = caller.chance.below(3) === 0 ? `key ${seed} ${n}` : undefined;
    const body = { ...REQUEST, user_id: user, ...(key !== undefined && { idempotency_key: key }) };
    const ask = { what: 'decide', method: 'POST', path: '/v1/decisions', body } as const;
    const answer = key === undefined ? await caller.send(ask) : await caller.insist(ask);
    if (key !== undefined && caller.chance.below(2) === 0) await caller.send(ask);
    if (answer?.status !== 200 || answer.body['allowed'] !== true) continue;
    await end(caller, String(answer.body['id']), user);
  }
}

async function end(caller: Caller, decision: string, user: string): Promise<void> {
  const dice = caller.chance.below(10);
  if (dice === 0) return;
  if (dice === 1) {
    const path = `/v1/decisions/${decision}/release`;
    const release = { what: 'release', method: 'POST', path, body: {}, asked: { decision } } as const;
    await caller.send(release);
    if (caller.chance.below(2) === 0) await caller.send(release);
    return;
  }
  const event = {
    id: `usage of ${decision}`,
    user_id: user,
    provider: 'acme',
    model: 'acme-1',
    decision_id: decision,
    occurred_at: new Date().toISOString(),
    input_tokens: caller.chance.below(MOST_TOKENS),
    output_tokens: 0,
  };
  const report = { what: 'report', method: 'POST', path: '/v1/usage/events', body: { events: [event] } } as const;
  await caller.insist(report);
  if (caller.chance.below(3) === 0) await caller.send(report);
}
