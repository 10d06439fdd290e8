import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId, SpendGuard } from '#core';
import { ReservationExpiry } from '#usage';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { addBudget, addPerson, faultsOf, openShop, reserve, use, windowsOf } from './spend.support.js';

const RUNS = 12;
const MINUTE_MS = 60_000;

let app: TestApp;
let time: MovedTime;

beforeAll(async () => {
  app = await startTestApp();
  time = await moveTime(app.database);
});

afterAll(() => app.close());

/** One step of a run. `person` and `decision` select among the existing ones by number. */
type Step =
  | { do: 'decide'; person: number; micros: number }
  | { do: 'use'; decision: number; micros: number }
  | { do: 'release'; decision: number }
  | { do: 'wait'; minutes: number }
  | { do: 'sweep' };

const nth = fc.nat({ max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('decide' as const), person: fc.nat(1), micros: fc.nat(8) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('use' as const), decision: nth, micros: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), decision: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 4, max: 16 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
);

/** The expected state of budgets, in the simplest form. */
class Model {
  private readonly spent: number[];
  private readonly held = new Map<string, { micros: number; of: number[]; until: number }>();
  private minute = 0;

  constructor(private readonly amounts: readonly number[]) {
    this.spent = amounts.map(() => 0);
  }

  decide(id: string, micros: number, of: number[]): boolean {
    if (!this.fits(micros, of)) this.sweep();
    if (!this.fits(micros, of)) return false;
    this.held.set(id, { micros, of, until: this.minute + 15 });
    return true;
  }

  use(id: string, micros: number, of: number[]): void {
    this.held.delete(id);
    for (const budget of of) this.spent[budget]! += micros;
  }

  release(id: string): number {
    const micros = this.held.get(id)?.micros ?? 0;
    this.held.delete(id);
    return micros;
  }

  wait(minutes: number): void {
    this.minute += minutes;
  }

  sweep(): void {
    for (const [id, { until }] of this.held) if (until <= this.minute) this.held.delete(id);
  }

  states(): string[][] {
    return this.amounts.map((_, budget) => [`${this.spent[budget]! / 1e6} + ${this.reserved(budget) / 1e6}`]);
  }

  private fits(micros: number, of: number[]): boolean {
    return of.every(budget => {
      const used = this.spent[budget]! + this.reserved(budget);
      return used < this.amounts[budget]! && used + micros <= this.amounts[budget]!;
    });
  }

  private reserved(budget: number): number {
    return [...this.held.values()].filter(({ of }) => of.includes(budget)).reduce((sum, { micros }) => sum + micros, 0);
  }
}

/** Formats the numbers as PostgreSQL does: rounded to twelve decimals, without trailing zeros. */
function plain(state: string[]): string[] {
  return state.map(text => text.replaceAll(/[\d.e-]+/g, digits => String(Number(Number(digits).toFixed(12)))));
}

describe('budgets', () => {
  it('match a small model, for any sequence of decisions, usage, releases and expiries', async () => {
    const sequence = fc.array(step, { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(sequence, fc.integer({ min: 0, max: 30 }), async (steps, amount) => {
        const shop = await openShop(app);
        const other = await addPerson(shop.call, 'Research');
        const all = await addBudget(shop.call, amount / 1e6);
        const team = await addBudget(shop.call, 15 / 1e6, { scope: 'department', department: 'Sales' });
        const model = new Model([amount, 15]);
        const people = [
          { who: { userId: shop.userId, department: 'Sales' }, of: [0, 1] },
          { who: { userId: other, department: 'Research' }, of: [0] },
        ];
        const decisions: { id: string; person: number }[] = [];
        // The time in the ids of decisions. It advances with each decision, although the clock of the windows stands
        // still.
        let moment = app.clock.now();
        for (const now of steps) {
          if (now.do === 'decide') {
            const id = newId(moment);
            const { who, of } = people[now.person]!;
            const verdict = await reserve(shop, now.micros, { decisionId: id, ...who });
            expect(verdict?.allowed).toBe(model.decide(id, now.micros, of));
            decisions.push({ id, person: now.person });
          } else if (now.do === 'use') {
            const decision = decisions[now.decision % Math.max(decisions.length, 1)] ?? { id: randomUUID(), person: 0 };
            const { who, of } = people[decision.person]!;
            await use(shop, now.micros, { decision_id: decision.id, user_id: who.userId });
            model.use(decision.id, now.micros, of);
          } else if (now.do === 'release') {
            const id = decisions[now.decision % Math.max(decisions.length, 1)]?.id ?? randomUUID();
            const released = await app.app.get(SpendGuard, { strict: false }).release(shop.orgId, id);
            expect(released).toBe(BigInt(model.release(id)) * 1_000_000n);
          } else if (now.do === 'wait') {
            await time.advance(now.minutes * MINUTE_MS);
            moment = new Date(moment.getTime() + now.minutes * MINUTE_MS);
            model.wait(now.minutes);
          } else {
            await app.app.get(ReservationExpiry, { strict: false }).sweep();
            model.sweep();
          }
          const states = [await windowsOf(app.database, all), await windowsOf(app.database, team)];
          expect(states.map(plain)).toEqual(model.states().map(plain));
        }
        const held = (await faultsOf(app.database, shop.orgId)) as { reserved_usd: string; held: string }[];
        expect(held.filter(({ reserved_usd, held: sum }) => Number(reserved_usd) !== Number(sum))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
