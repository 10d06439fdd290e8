import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { shiftedClock } from '../processes/bundled-app.js';
import { report, sleep } from '../processes/chance.js';
import { setStage, type Stage } from '../processes/stage.js';
import {
  countBy,
  decide,
  openMarket,
  overspent,
  setBudget,
  setLimit,
  startReplicas,
  windowsOf,
  type Decided,
} from './market.js';

const REPLICAS = 4;
const DECISIONS = 1_000;
const CENTS = 3;
const ZONE = 'Asia/Kathmandu';
const OFFSET_MS = 345 * 60_000;
/**
 * The test starts this long before the boundary, over which the clocks then jump. Reservations last longer than this.
 */
const BEFORE_MS = 10 * 60_000;
const DEPARTMENTS = ['Sales', 'Sales', 'Sales', 'Research', 'Research', 'Operations'];

let stage: Stage;
let time: MovedTime;
let users: string[];
let replicas: StandaloneProcess[] = [];
let live = REPLICAS;
/** The start of the next fiscal quarter and fiscal year in Kathmandu, where the offset never changes. */
let edge: number;

beforeAll(async () => {
  stage = await setStage();
  const now = Date.now();
  const local = new Date(now + BEFORE_MS + OFFSET_MS);
  edge = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - OFFSET_MS;
  const calendar = { time_zone: ZONE, fiscal_year_first_month: new Date(edge + OFFSET_MS).getUTCMonth() + 1 };
  const { status, text } = await stage.app.call('PATCH', '/v1/organization', calendar);
  if (status !== 200) throw new Error(text);
  users = await openMarket(stage, DEPARTMENTS);
  time = await moveTime(stage.app.database);
  await time.advance(edge - BEFORE_MS - now);
  replicas = await startReplicas(stage, REPLICAS, undefined, shiftedClock(edge - BEFORE_MS - now, BEFORE_MS));
});

afterAll(async () => {
  await Promise.all(replicas.slice(0, live).map(replica => replica.end('SIGKILL')));
  await stage?.close();
});

interface Held {
  id: string;
  budget: string;
  start: string;
  part: string;
}

describe('1,000 decisions on both sides of a fiscal quarter, on four replicas of which two are killed', () => {
  it('fill each quarter separately, and none above its amount', async () => {
    const { database, orgId, adminToken } = stage.app;
    // The limit and both budgets each refuse some requests. The limit allows 120 requests a minute. A person sends 20
    // requests, of which the budget covers 15. Sales sends 60 requests, of which its budget covers 35.
    const [EACH_USD, SALES_USD, ALL_PER_MINUTE] = [0.45, 1.05, 120];
    const amounts = new Map([
      [await setBudget(stage, EACH_USD, { scope: 'organization', split_by: 'user', period: 'quarterly' }), EACH_USD],
      [
        await setBudget(stage, SALES_USD, { scope: { department: 'Sales', model: 'acme-*' }, period: 'yearly' }),
        SALES_USD,
      ],
    ]);
    const limit = await setLimit(stage, { scope: { model: 'acme-*' }, requests_per_minute: ALL_PER_MINUTE });
    await database.asOwner('delete from governance.budget_windows');
    // A change reaches every replica within a second, even without a notification.
    await sleep(1_000);
    const kill = async (): Promise<void> => {
      await replicas[--live]!.end('SIGKILL');
    };
    let answered = 0;
    const ask = async (n: number): Promise<Decided> => {
      for (let at = Math.floor(n / users.length) % REPLICAS; ; at = (at + 1) % live) {
        const decision = await decide(replicas[at]!, adminToken, users[n % users.length]!);
        // One replica is killed before the boundary, another one after it.
        if (++answered === DECISIONS / 8 || answered === (DECISIONS * 5) / 8) await kill();
        if (decision) return decision;
      }
    };
    // Sends one request to each replica first. On a busy machine, the many requests after these may only get 503 before
    // the boundary.
    const early: Decided[] = [];
    for (let n = 0; n < REPLICAS; n++) early.push(await ask(n * users.length));
    const first = Array.from({ length: DECISIONS / 2 - REPLICAS }, (_, n) => ask(n));
    // Half of these requests are answered before the boundary. The other half may still be running when the clocks jump
    // over it.
    await Promise.all(first.slice(0, DECISIONS / 4));
    await time.advance(BEFORE_MS);
    for (const replica of replicas.slice(0, live)) replica.process.kill('SIGUSR2');
    const second = Array.from({ length: DECISIONS / 2 }, (_, n) => ask(n + DECISIONS / 2));
    const answers = [...early, ...(await Promise.all([...first, ...second]))];
    expect(live).toBe(REPLICAS - 2);

    const told = new Set(answers.filter(({ allowed }) => allowed).map(({ id }) => id));
    const held = await database.asOwner<Held>(
      `select r.id::text, c.budget::text, c.start::text, coalesce(c.part, '') as part
       from governance.reservations r, unnest(r.budget_ids, r.window_starts, r.parts) c (budget, start, part)
       where r.org_id = $1`,
      [orgId],
    );
    const heldIds = new Set(held.map(({ id }) => id));
    expect([...told].filter(id => !heldIds.has(id))).toEqual([]);
    // Cents per window. Counts the reservations whose callers learned that their request is allowed.
    const sums = new Map<string, number>();
    for (const { id, budget, start, part } of held) {
      const key = `${budget} ${new Date(start).toISOString()} ${part}`;
      if (told.has(id)) sums.set(key, (sums.get(key) ?? 0) + CENTS);
    }
    const starts = new Set<string>();
    for (const [key, cents] of sums) {
      const [budget = '', start = ''] = key.split(' ');
      starts.add(start);
      expect(cents).toBeLessThanOrEqual(Math.round(amounts.get(budget)! * 100));
    }
    report('quarter edge', { told: told.size, held: heldIds.size, starts: [...starts], windows: sums.size });
    expect(starts).toContain(new Date(edge).toISOString());
    expect(starts.size).toBeGreaterThan(1);
    // The limit must also hold on each side of the boundary. After the clock jump, a replica may still use its earlier
    // claims, so the bounds are higher.
    const reasons = countBy(answers, ({ reason }) => reason);
    report('refusals at the quarter edge', Object.fromEntries(reasons));
    expect(reasons.get('rate_limited')).toBeGreaterThan(0);
    expect(reasons.get('budget_exceeded')).toBeGreaterThan(0);
    expect(answers.length - (reasons.get('rate_limited') ?? 0)).toBeLessThanOrEqual(2.1 * ALL_PER_MINUTE);
    const startOf = new Map(held.map(({ id, start }) => [id, new Date(start).getTime() < edge]));
    for (const before of [true, false]) {
      const count = [...told].filter(id => startOf.get(id) === before).length;
      expect(count).toBeLessThanOrEqual(1.1 * ALL_PER_MINUTE);
    }
    // Checks the budgets and the limit by the rows in the database.
    expect(await overspent(database, orgId)).toEqual([]);
    for (const { reserved, held: sum } of await windowsOf(database, orgId)) expect(reserved).toBeCloseTo(sum, 11);
    const counters = await database.asOwner<{ sum: number }>(
      `select (select sum(n) from unnest(c.requests) n)::integer as sum from governance.limit_counters c
       where c.limit_id = $1`,
      [limit],
    );
    for (const { sum } of counters) expect(sum).toBeLessThanOrEqual(ALL_PER_MINUTE);
  });
});
