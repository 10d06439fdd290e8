import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { newChance, report } from '../processes/chance.js';
import { setStage, type Stage } from '../processes/stage.js';
import {
  decide,
  openMarket,
  overspent,
  setBudget,
  settle,
  startReplicas,
  windowsOf,
  type Decided,
  type WindowState,
} from './market.js';

const REPLICAS = 4;
const DECISIONS = 1_000;
const CENTS = 3;
/** Maximum number of attempts for requests that are refused temporarily. */
const MAX_ATTEMPTS = 5;

let stage: Stage;
let replicas: StandaloneProcess[] = [];
let users: string[];

beforeAll(async () => {
  stage = await setStage();
  users = await openMarket(stage, ['Sales', 'Sales', 'Sales', 'Research', 'Research', 'Operations']);
  replicas = await startReplicas(stage, REPLICAS);
});

afterAll(async () => {
  await Promise.all(replicas.map(replica => replica.end('SIGKILL')));
  await stage?.close();
});

beforeEach(async () => {
  await stage.app.database.asOwner('delete from governance.reservations');
  await stage.app.database.asOwner('delete from governance.budgets');
  await stage.app.database.asOwner(`update governance.change_marks set version = version + 1 where topic = 'budgets'`);
});

/** A change of a budget reaches every replica within a second, even without a notification. */
const everybodyKnows = () => new Promise(done => setTimeout(done, 1_000));

/** Sends this many decisions at once, distributed over the replicas. */
async function decideAtOnce(userOf: (n: number) => string): Promise<Decided[]> {
  await everybodyKnows();
  const ask = (n: number) => answered(() => decide(replicas[n % REPLICAS]!, stage.app.adminToken, userOf(n)));
  return Promise.all(Array.from({ length: DECISIONS }, (_, n) => ask(n)));
}

/** Repeats a request that the app refuses temporarily on a busy machine. */
async function answered<Answer>(ask: () => Promise<Answer | false | undefined>): Promise<Answer> {
  for (let asked = 1; asked <= MAX_ATTEMPTS; asked++) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`replicas that are up have refused a request ${MAX_ATTEMPTS} times`);
}

async function windows(): Promise<WindowState[]> {
  expect(await overspent(stage.app.database, stage.app.orgId)).toEqual([]);
  const all = await windowsOf(stage.app.database, stage.app.orgId);
  for (const { reserved, held } of all) expect(reserved).toBeCloseTo(held, 11);
  return all;
}

const cents = (usd: number): number => Math.round(usd * 100);

describe('1,000 decisions at once on four replicas', () => {
  it('reserve exactly the amount of one budget that fits whole requests', async () => {
    await setBudget(stage, 10, { scope: 'organization' });
    const decisions = await decideAtOnce(() => users[0]!);
    const allowed = decisions.filter(decision => decision.allowed);
    expect(allowed).toHaveLength(333);
    expect(new Set(decisions.filter(({ allowed: is }) => !is).map(({ reason }) => reason))).toEqual(
      new Set(['budget_exceeded']),
    );
    expect((await windows()).map(({ reserved }) => cents(reserved))).toEqual([999]);
  });

  it('reserve the same with the first requests of a window that does not exist yet', async () => {
    await setBudget(stage, 5, { scope: 'organization' });
    await stage.app.database.asOwner('delete from governance.budget_windows');
    const decisions = await decideAtOnce(() => users[0]!);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(166);
    expect((await windows()).map(({ reserved }) => cents(reserved))).toEqual([498]);
  });

  it('reserve in all overlapping budgets or in none, until no request fits', async () => {
    await setBudget(stage, 8, { scope: 'organization' });
    await setBudget(stage, 4, { scope: 'department', department: 'Sales' });
    await setBudget(stage, 6, { scope: 'department', department: 'Research', period: 'daily' });
    await setBudget(stage, 1, { scope: 'user', user_id: users[0], period: 'weekly' });
    await setBudget(stage, 2, { scope: 'user', user_id: users[3] });
    await setBudget(stage, 7, { scope: 'model', model: 'acme-*' });
    const decisions = await decideAtOnce(n => users[n % users.length]!);
    const allowed = decisions.filter(decision => decision.allowed).length;
    const all = await windows();
    const reserved = all.map(window => cents(window.reserved));
    report('overlapping budgets', { allowed, reserved });
    // Every allowed request has a reservation in two budgets: that of the organization and that of the model.
    expect(reserved.filter(sum => sum === allowed * CENTS)).toHaveLength(2);
    // What is left of the model's seven dollars is not enough for another request.
    expect(allowed).toBe(Math.floor(700 / CENTS));
    const [row] = await stage.app.database.asOwner<{ n: number }>(
      'select count(*)::integer as n from governance.reservations',
    );
    expect(row!.n).toBe(allowed);
  });

  it('leave the cost of their usage and no reservations if the usage is reported in parallel', async () => {
    const chance = newChance();
    report('chance', { seed: chance.seed });
    await setBudget(stage, 12, { scope: 'organization' });
    await setBudget(stage, 5, { scope: 'department', department: 'Sales' });
    await everybodyKnows();
    let cost = 0;
    const calls = Array.from({ length: DECISIONS }, async (_, n) => {
      const replica = replicas[n % REPLICAS]!;
      const user = users[n % users.length]!;
      const decision = await answered(() => decide(replica, stage.app.adminToken, user));
      if (!decision.allowed) return;
      const tokens = chance.below(30_001);
      cost += tokens;
      // Reports the usage to another replica than the one that made the decision.
      const other = replicas[(n + 1) % REPLICAS]!;
      await answered(() => settle(other, stage.app.adminToken, decision, user, tokens));
    });
    await Promise.all(calls);
    const all = await windows();
    const ofOrganization = all.find(window => window.amount === 12)!;
    expect(Math.round(ofOrganization.spent * 1e6)).toBe(cost);
    expect(all.map(({ reserved }) => reserved)).toEqual([0, 0]);
  });
});
