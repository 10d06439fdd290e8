import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { MODEL, overspent, REQUEST, windowsOf, type Decided } from './market.js';

const REPLICAS = 4;
const DECISIONS = 1_000;
/** A minute before midnight in Kathmandu, which is not a full hour in UTC. */
const BEFORE = new Date('2026-11-20T18:14:00Z');

let time: ManualClock;
let replicas: TestApp[];
let userId: string;

beforeAll(async () => {
  time = new ManualClock(BEFORE);
  const first = await startTestApp({ time });
  const others = Array.from({ length: REPLICAS - 1 }, () =>
    startTestApp({ time, testDatabase: first.database, orgId: first.orgId }),
  );
  replicas = [first, ...(await Promise.all(others))];
  await first.call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' });
  await first.call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 });
  userId = (await first.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
});

afterAll(async () => {
  const [first, ...others] = replicas;
  for (const replica of others) await replica.close();
  await first?.close();
});

describe('decisions on both sides of midnight', () => {
  it('fill each day separately, and a call that ends after midnight counts on the day of its reservation', async () => {
    const { call, database, orgId } = replicas[0]!;
    const budget = { name: 'A day', scope: 'organization', period: 'daily', enforcement: 'block', amount_usd: 5 };
    expect((await call('POST', '/v1/budgets', budget)).status).toBe(201);
    const ask = (count: number): Promise<Decided>[] =>
      Array.from({ length: count }, async (_, n) => {
        const { body } = await replicas[n % REPLICAS]!.call('POST', '/v1/decisions', { ...REQUEST, user_id: userId });
        return body as Decided;
      });
    const evening = ask(DECISIONS / 2);
    // Midnight passes while most of the requests are running.
    await Promise.race(evening);
    time.advance(60_000);
    const answers = await Promise.all([...evening, ...ask(DECISIONS / 2)]);
    const allowed = answers.filter(decision => decision.allowed);
    const days = await windowsOf(database, orgId);
    expect(await overspent(database, orgId)).toEqual([]);
    expect(days.map(({ window_start: start }) => new Date(start).toISOString())).toEqual([
      '2026-11-19T18:15:00.000Z',
      '2026-11-20T18:15:00.000Z',
    ]);
    // Five dollars suffice for 166 requests of three cents.
    for (const { reserved } of days) expect(Math.round(reserved * 100)).toBeLessThanOrEqual(498);
    expect(days.reduce((sum, { reserved }) => sum + Math.round(reserved * 100), 0)).toBe(allowed.length * 3);
    expect(allowed.length).toBeGreaterThan(166);

    const events = allowed.map(({ id }) => ({
      ...MODEL,
      id: `usage of ${id}`,
      user_id: userId,
      decision_id: id,
      occurred_at: time.now().toISOString(),
      input_tokens: 30_000,
      output_tokens: 0,
    }));
    expect((await call('POST', '/v1/usage/events', { events })).body.accepted).toBe(allowed.length);
    const settled = await windowsOf(database, orgId);
    expect(settled.map(({ spent, reserved }) => ({ spent: Math.round(spent * 100), reserved }))).toEqual(
      days.map(({ reserved }) => ({ spent: Math.round(reserved * 100), reserved: 0 })),
    );
  });
});
