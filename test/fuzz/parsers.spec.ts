import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from '@jest/globals';
import { IS_FULL } from '../faults/processes/chance.js';
import { threadMs } from '../support/turn-watch.js';
import { FORMER_FAULTS } from './former-faults.js';
import { mustBeJson } from './json.js';
import { fuzz, judge, newOutcome, type Outcome } from './parser.js';
import { allParsers } from './parsers/index.js';

const PARSERS = await allParsers();
const SHARES = PARSERS.reduce((sum, { share = 1 }) => sum + share, 0);
const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? (IS_FULL ? 1_050_000 : 5_000));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const SLOWEST_MS = 250;
const MIB = 2 ** 20;
/** The growth of the heap that fixed-size caches and the compiler may cause. */
const HEAP_GROWTH_MAX = 48 * MIB;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function heap(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

describe(`parsers of input (seed ${SEED})`, () => {
  const rows: string[] = [];

  afterAll(() => {
    if (!IS_FULL) return;
    const head = `${'parser'.padEnd(28)} ${['inputs', 'refused', '>= 500', 'slowest ms', 'heap MiB'].map(word => word.padStart(12)).join('')}`;
    process.stdout.write(`\n${head}\n${rows.join('\n')}\n`);
  });

  function enter(name: string, { inputs, refused, faults, slowestMs }: Outcome, before: number, after: number): void {
    const figures = [inputs, refused, faults.length, slowestMs.toFixed(1), `${inMib(before)}→${inMib(after)}`];
    rows.push(`${name.padEnd(28)} ${figures.map(figure => String(figure).padStart(12)).join('')}`);
  }

  it('are reported if they fail, are slow, or accept a value that is not JSON', async () => {
    const table: Record<string, number> = { one: 1 };
    const bad = await fuzz(
      { kind: 'text', name: 'bad', seeds: ['one', 'constructor'], read: word => mustBeJson(table[word]) },
      500,
      1,
    );
    expect(bad.faults[0]).toContain('function where a value belongs');
    const slow = await fuzz({ kind: 'text', name: 'slow', seeds: ['a'], read: () => spend(300) }, 1, 1);
    expect(slow.slowestMs).toBeGreaterThan(SLOWEST_MS);
  });

  it('have unique names, which the past faults use', () => {
    const names = PARSERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(FORMER_FAULTS.map(({ parser }) => parser)));
  });

  it.each(PARSERS.map(parser => [parser.name, parser] as const))(
    'refuse or accept every input within 250 ms: %s',
    async (name, parser) => {
      const inputs = Math.ceil((INPUTS * (parser.share ?? 1)) / SHARES);
      await fuzz(parser, Math.ceil(inputs / 10), SEED + 1);
      const before = heap();
      const outcome = await fuzz(parser, inputs, SEED);
      const after = heap();
      enter(name, outcome, before, after);
      expect(outcome.faults).toEqual([]);
      expect({ ...slowestOf(outcome), isFast: outcome.slowestMs < SLOWEST_MS }).toMatchObject({ isFast: true });
      expect(after - before).toBeLessThan(HEAP_GROWTH_MAX);
    },
    600_000,
  );

  it.each(FORMER_FAULTS.map(fault => [fault.parser, fault.was, fault] as const))(
    'refuse or accept the input of a past fault: %s, %s',
    async (_name, _was, { parser: name, input, isRefused = false }) => {
      const parser = PARSERS.find(each => each.name === name);
      const outcome = newOutcome();
      if (parser?.kind === 'text') await judge(parser.read, String(input), outcome);
      else if (parser) await judge(parser.read, input, outcome);
      expect(outcome).toMatchObject({ inputs: 1, faults: [], ...(isRefused ? { refused: 1 } : {}) });
      expect(outcome.slowestMs).toBeLessThan(SLOWEST_MS);
    },
  );
});

/** Uses CPU time. */
function spend(milliseconds: number): void {
  const end = threadMs() + milliseconds;
  while (threadMs() < end);
}

function slowestOf({ slowestMs, slowest }: Outcome): object {
  return { slowestMs, slowest };
}

function inMib(bytes: number): number {
  return Math.round(bytes / MIB);
}
