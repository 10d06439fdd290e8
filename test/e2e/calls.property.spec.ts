import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CallRecovery, EndedCalls, GovernedCalls } from '#calls';
import { IS_FULL } from '../faults/processes/chance.js';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { requestOf } from './calls.support.js';
import { addBudget, openShop } from './spend.support.js';

const CALLS = 3;
const RUNS = IS_FULL ? 400 : 30;
const TIME_LIMIT_MS = IS_FULL ? 1_200_000 : 120_000;
const USED = { input_tokens: 1_000, output_tokens: 500 };

/**
 * `count`: counts the ended calls now. `forget`: from now on, the process forgets each end that it has stored, and does
 * not count it.
 */
type Act = 'cover' | 'settle' | 'release' | 'take over' | 'count' | 'forget';

const act: fc.Arbitrary<{ act: Act; call: number; tokens: number; isAwaited: boolean }> = fc.record({
  act: fc.constantFrom<Act>('cover', 'cover', 'settle', 'settle', 'release', 'take over', 'count', 'forget'),
  call: fc.nat({ max: CALLS - 1 }),
  tokens: fc.integer({ min: 0, max: 900 }),
  isAwaited: fc.boolean(),
});

describe('calls that are covered, settled, released and taken over in any order', () => {
  let app: TestApp;
  let other: TestApp;
  let time: MovedTime;

  beforeAll(async () => {
    app = await startTestApp({ outbox: { workers: false } });
    other = await startTestApp({ testDatabase: app.database, time: app.clock, outbox: { workers: false } });
    time = await moveTime(app.database);
  });

  afterAll(async () => {
    await other?.close();
    await app?.close();
  });

  const takeOver = async (): Promise<void> => {
    await time.advance(61_000);
    await other.app.get(CallRecovery).sweep();
  };

  it(
    'count once: their usage, or the usage recorded ahead if that is more',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(act, { maxLength: 14 }), async acts => {
          const shop = await openShop(app);
          await addBudget(shop.call, 1);
          const models = Array.from({ length: CALLS }, (_, n) => `acme-${n}`);
          const calls = await Promise.all(
            models.map(model => app.app.get(GovernedCalls).open(shop.orgId, { ...requestOf(shop), model })),
          );
          const ends = new Map<number, 'settle' | 'release'>();
          const end = (n: number, how: 'settle' | 'release'): Promise<void> => {
            if (!ends.has(n)) ends.set(n, how);
            return how === 'settle'
              ? calls[n]!.settle({ id: `answer ${shop.orgId} ${n}`, ...USED })
              : calls[n]!.release();
          };
          const ended = app.app.get(EndedCalls);
          const add = jest.spyOn(ended, 'add');
          const doing: Promise<unknown>[] = [];
          for (const { act: what, call, tokens, isAwaited } of acts) {
            if (what === 'forget') add.mockReturnValue();
            const work = {
              'take over': takeOver,
              // `cover` fails for a call that another replica has taken over.
              cover: () => Promise.resolve(calls[call]!.cover(tokens)).catch(() => undefined),
              count: () => ended.flush(shop.orgId),
              forget: async () => undefined,
              settle: () => end(call, 'settle'),
              release: () => end(call, 'release'),
            }[what]();
            doing.push(work);
            if (isAwaited) await work;
          }
          await Promise.all(doing);
          for (let n = 0; n < CALLS; n++) await end(n, 'settle');
          add.mockRestore();
          await takeOver();
          await app.app.get(GovernedCalls).flush(shop.orgId);

          const rows = await app.database.asOwner<{
            model: string;
            requests: number;
            output: number;
            ahead: number | null;
          }>(
            `select model, sum(requests)::int as requests, sum(output_tokens)::float8 as output,
             sum(output_tokens) filter (where metadata ? 'recovered')::float8 as ahead
           from governance.usage_events where org_id = $1 group by model`,
            [shop.orgId],
          );
          const counted = new Map(rows.map(row => [row.model, row]));
          for (const [n, model] of models.entries()) {
            const { requests = 0, output = 0, ahead = null } = counted.get(model) ?? {};
            const used = ends.get(n) === 'settle' ? USED.output_tokens : 0;
            const isCounted = used > 0 || ahead !== null;
            expect({ model, requests, output }).toEqual({
              ...{ model, requests: isCounted ? 1 : 0 },
              output: Math.max(used, ahead ?? 0),
            });
          }
          const [left] = await app.database.asOwner<{ open: number; held: number }>(
            `select (select count(*)::int from governance.open_calls where org_id = $1) as open,
             (select coalesce(sum(reserved_usd), 0)::float8 from governance.budget_windows where org_id = $1) as held`,
            [shop.orgId],
          );
          expect(left).toEqual({ open: 0, held: 0 });
          const [money] = await app.database.asOwner<{ isSame: boolean }>(
            `select (select coalesce(sum(spent_usd), 0) from governance.budget_windows where org_id = $1)
             = (select coalesce(sum(cost_usd), 0) from governance.usage_events where org_id = $1) as "isSame"`,
            [shop.orgId],
          );
          expect(money).toEqual({ isSame: true });
        }),
        { numRuns: RUNS },
      );
    },
    TIME_LIMIT_MS,
  );
});
