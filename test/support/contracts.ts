import { describe, expect, it } from '@jest/globals';
import type { ContractCase } from '../../libs/testing/index.js';

async function failuresOf(cases: readonly ContractCase[]): Promise<string[]> {
  const failures: string[] = [];
  for (const each of cases) await each.run().catch(() => failures.push(each.title));
  return failures;
}

/** Implementations that keep a contract, and broken doubles that each fail some of its rules. */
interface Contract<Double> {
  cases: (double: Double) => readonly ContractCase[];
  kept: Record<string, () => Double>;
  broken: Record<string, () => Double>;
}

/**
 * Tests a contract: each correct implementation passes, each broken double fails a rule, and for each rule there is a
 * double that fails it.
 */
export function holds<Double>(name: string, { cases, kept, broken }: Contract<Double>): void {
  describe(`the contract of ${name}`, () => {
    it.each(Object.entries(kept))('is passed by %s', async (_what, make) => {
      expect(await failuresOf(cases(make()))).toEqual([]);
    });

    it('has no rule that every broken double passes, and no double that passes every rule', async () => {
      const failures = new Map<string, string[]>();
      for (const [what, make] of Object.entries(broken)) failures.set(what, await failuresOf(cases(make())));
      expect([...failures].filter(([, titles]) => titles.length === 0)).toEqual([]);
      const [make] = Object.values(kept);
      const titles = make ? cases(make()).map(({ title }) => title) : [];
      expect(titles.filter(title => ![...failures.values()].flat().includes(title))).toEqual([]);
    });
  });
}
