import { Caller, type Answer, type Surroundings } from './caller.js';

/** With the token of another organization, requests decisions and reports usage about users of the first one. */
export async function intrude(
  surroundings: Surroundings,
  seed: number,
  token: string,
  users: readonly string[],
): Promise<void> {
  const caller = new Caller(surroundings, seed);
  for (let n = 1; !caller.isOver; n++) {
    await caller.pause(500);
    const user_id = caller.pick(users);
    const event = {
      ...{ id: `foreign ${seed} ${n}`, user_id, provider: 'acme', model: 'acme-plain-0' },
      ...{ occurred_at: new Date().toISOString(), input_tokens: 1, output_tokens: 1 },
    };
    const about = { token, asked: { user: user_id } };
    const keep = ({ body }: Answer): object => ({
      allowed: body['allowed'] ?? null,
      accepted: body['accepted'] ?? null,
    });
    const decision = { user_id, provider: 'acme', model: 'free-1' };
    await caller.send({ what: 'foreign', method: 'POST', path: '/v1/decisions', body: decision, ...about, keep });
    await caller.send({
      what: 'foreign',
      method: 'POST',
      path: '/v1/usage/events',
      body: { events: [event] },
      ...about,
      keep,
    });
    await caller.send({ what: 'foreign', method: 'GET', path: `/v1/users/${user_id}`, ...about, keep });
  }
}
