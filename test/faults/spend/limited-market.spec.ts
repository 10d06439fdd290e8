import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { report } from '../processes/chance.js';
import { setStage, type Stage } from '../processes/stage.js';
import { decide, openMarket, overspent, setBudget, startReplicas, windowsOf } from './market.js';

const REPLICAS = 4;
const DECISIONS = 1_000;
const CENTS = 3;
/** Answers after which the next replica is killed. */
const KILLS = [150, 400];

let stage: Stage;
let replicas: StandaloneProcess[] = [];
let users: string[];

const DEPARTMENTS = ['Sales', 'Sales', 'Sales', 'Research', 'Research', 'Operations'];
const EACH_USD = 0.36;
const SALES_USD = 0.9;
const EACH_PER_MINUTE = 15;
const ALL_PER_MINUTE = 60;

beforeAll(async () => {
  stage = await setStage();
  users = await openMarket(stage, DEPARTMENTS);
  replicas = await startReplicas(stage, REPLICAS);
});

afterAll(async () => {
  // The others are gone already.
  await Promise.all(replicas.slice(0, REPLICAS - KILLS.length).map(replica => replica.end('SIGKILL')));
  await stage?.close();
});

async function setLimit(more: object): Promise<void> {
  const { status, text } = await stage.app.call('POST', '/v1/limits', {
    name: 'Limit',
    scope: 'organization',
    ...more,
  });
  if (status !== 201) throw new Error(text);
}

describe('1,000 decisions at once on four replicas, two of which are killed', () => {
  it('stay within budgets that are split and combined, and within limits', async () => {
    await setBudget(stage, EACH_USD, { scope: 'organization', split_by: 'user', period: 'quarterly' });
    await setBudget(stage, SALES_USD, { scope: { department: 'Sales', model: 'acme-*' }, period: 'yearly' });
    await setLimit({ requests_per_minute: EACH_PER_MINUTE, split_by: 'user' });
    await setLimit({ requests_per_minute: ALL_PER_MINUTE });
    // A change is known on every replica within a second, also to whom no notification came.
    await new Promise(done => setTimeout(done, 1_000));
    const begun = performance.now();
    const allowed = users.map(() => 0);
    const reasons = new Map<string, number>();
    let answers = 0;
    let killed = 0;
    await Promise.all(
      Array.from({ length: DECISIONS }, async (_, n) => {
        const person = n % users.length;
        // Everybody asks every replica.
        const replica = replicas[Math.floor(n / users.length) % REPLICAS]!;
        const decision = await decide(replica, stage.app.adminToken, users[person]!);
        answers++;
        if (killed < KILLS.length && answers >= KILLS[killed]!) await replicas[REPLICAS - 1 - killed++]!.end('SIGKILL');
        if (!decision) return;
        reasons.set(decision.reason, (reasons.get(decision.reason) ?? 0) + 1);
        if (decision.allowed) allowed[person]!++;
      }),
    );
    const minutes = 1 + Math.floor((performance.now() - begun) / 60_000);
    report('limited market', { allowed, reasons: Object.fromEntries(reasons), minutes });
    expect(killed).toBe(KILLS.length);
    const sumOf = (department: string): number =>
      allowed.reduce((sum, count, at) => sum + (DEPARTMENTS[at] === department ? count : 0), 0);
    const all = allowed.reduce((sum, count) => sum + count, 0);
    // By what the callers were told.
    for (const count of allowed) expect(count * CENTS).toBeLessThanOrEqual(EACH_USD * 100);
    expect(sumOf('Sales') * CENTS).toBeLessThanOrEqual(SALES_USD * 100);
    for (const count of allowed) expect(count).toBeLessThanOrEqual(EACH_PER_MINUTE * minutes);
    expect(all).toBeLessThanOrEqual(ALL_PER_MINUTE * minutes);
    expect(all).toBeGreaterThan(10);
    expect(reasons.get('rate_limited')).toBeGreaterThan(0);
    // By the database.
    const { database, orgId } = stage.app;
    expect(await overspent(database, orgId)).toEqual([]);
    for (const { reserved, held } of await windowsOf(database, orgId)) expect(reserved).toBeCloseTo(held, 11);
    const claimed = await database.asOwner<{ sum: number; most: number }>(
      `select (select sum(n) from unnest(c.requests) n)::integer as sum, l.requests_per_minute as most
       from governance.limit_counters c join governance.limits l on l.org_id = c.org_id and l.id = c.limit_id
       where c.org_id = $1`,
      [orgId],
    );
    expect(claimed.length).toBeGreaterThan(1);
    for (const { sum, most } of claimed) expect(sum).toBeLessThanOrEqual(most);
    // Those that live go on.
    const last = await decide(replicas[0]!, stage.app.adminToken, users[5]!);
    expect(last).toBeDefined();
  }, 180_000);
});
