import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { report } from '../processes/chance.js';
import { setStage, type Stage } from '../processes/stage.js';
import { decide, openMarket, setBudget, settle, startReplicas } from './market.js';

const REPLICAS = 4;
const CALLS = 600;

interface Alert {
  id: string;
  type: string;
  data: { budget_id: string; window: { start: string }; amount_usd: number; spent_usd: number; threshold: number };
}

let stage: Stage;
let replicas: StandaloneProcess[] = [];

beforeAll(async () => {
  stage = await setStage();
  replicas = await startReplicas(stage, REPLICAS);
});

afterAll(async () => {
  await Promise.all(replicas.map(replica => replica.end('SIGKILL')));
  await stage?.close();
});

describe('budgets that four replicas use up at the same time', () => {
  it('send one warning and one exceeded event per window to a TLS endpoint', async () => {
    const users = await openMarket(stage, ['Sales', 'Research']);
    await stage.webhook('/alerts');
    const organization = await setBudget(stage, 6, { scope: 'organization' });
    const sales = await setBudget(stage, 2, { scope: 'department', department: 'Sales' });
    const watched = await setBudget(stage, 3, { scope: 'organization', enforcement: 'notify', period: 'daily' });
    const untouched = await setBudget(stage, 1_000, { scope: 'organization' });
    // Sales makes its calls first. Otherwise Research would leave too little of the organization's budget, and Sales
    // could not use up its own budget.
    for (const user of users) {
      await Promise.all(
        Array.from({ length: CALLS / users.length }, async (_, n) => {
          const decision = await decide(replicas[n % REPLICAS]!, stage.app.adminToken, user);
          if (!decision?.allowed) return;
          await settle(replicas[(n + 1) % REPLICAS]!, stage.app.adminToken, decision, user, 30_000);
        }),
      );
    }
    await stage.untilIdle(30_000);

    const alerts = stage.endpoint.requests.map(({ body }) => JSON.parse(body.toString()) as Alert);
    const told = alerts.filter(({ type }) => type.startsWith('budget_'));
    report('alerts', { posts: alerts.length, told: told.length });
    const of = (budget: string): string[] =>
      told
        .filter(({ data }) => data.budget_id === budget)
        .map(({ type, data }) => `${type} ${data.threshold}`)
        .toSorted();
    const both = ['budget_exceeded 1', 'budget_warning 0.8'];
    expect({
      organization: of(organization),
      sales: of(sales),
      watched: of(watched),
      untouched: of(untouched),
    }).toEqual({
      organization: both,
      sales: both,
      watched: both,
      untouched: [],
    });
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    for (const { type, data } of told) {
      // Compares whole millionths, because floating point rarely represents 0.8 of an amount exactly.
      const millionths = (usd: number): number => Math.round(usd * 1e6);
      if (type === 'budget_warning') {
        expect(millionths(data.spent_usd)).toBeGreaterThanOrEqual(millionths(data.amount_usd * 0.8));
      }
    }
  });
});
