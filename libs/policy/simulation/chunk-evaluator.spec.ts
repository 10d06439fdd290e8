import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_REGISTRY } from '../decide/index.js';
import { idAt, pieceOf } from '../testing/recorded-piece.js';
import { Comparison } from './comparison.js';
import type { SizedRecord } from './decision-scan.js';
import { JudgedRequests } from './judged-requests.js';
import { ChunkEvaluator } from './chunk-evaluator.js';

const COMPARISON = new Comparison(
  [],
  { id: 'draft', name: 'Draft', action: 'block', model: 'large', enabled: true, version: 1 },
  { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' },
  { unknownUser: 'evaluate' },
);
const textOf = (user: number, model = 'large') => JSON.stringify([`u${user}`, null, 'p', model, 1, {}]);

/** Sets up an evaluator that records the chunks that it has read and the number of times that it yielded. */
function stage(texts: readonly string[], kept = 1_000) {
  const read: SizedRecord[][] = [];
  const slices = { steps: 0, isDue: true, yieldNow: async () => void slices.steps++ };
  const requestsOf = async function* (_: string, records: readonly SizedRecord[]) {
    read.push([...records]);
    for (const { id } of records) {
      const text = texts[Number.parseInt(id.slice(-12), 16)];
      yield new Map(text === undefined ? [] : [[id, text]]);
    }
  };
  const judge = new ChunkEvaluator('org', { requestsOf }, new JudgedRequests(COMPARISON, kept), slices);
  return { judge, read, slices };
}

const TEXTS = [textOf(1), textOf(2, 'small'), textOf(1), textOf(3)];
const AFTER = ['block', 'allow', 'block', 'block'];

describe('the records of a chunk', () => {
  it.each([true, false])(
    'get their results at their positions, whether their requests were included (%s) or not',
    async whole => {
      const { judge, read } = stage(TEXTS);
      const judged = await judge.judge(pieceOf(TEXTS, { whole }));
      expect(judged.map(one => one?.outcome.after)).toEqual(AFTER);
      expect(read.flat().map(({ id }) => id)).toHaveLength(whole ? 0 : 3);
    },
  );

  it('have a request read once, with its size, and not again while its result is cached', async () => {
    const { judge, read } = stage(TEXTS);
    await judge.judge(pieceOf(TEXTS));
    await judge.judge(pieceOf(TEXTS));
    expect(read).toHaveLength(1);
    expect(read[0]?.map(({ bytes }) => bytes)).toEqual([TEXTS[2], TEXTS[1], TEXTS[3]].map(text => text?.length));
  });

  it('are read from the database if the chunk does not contain a large request', async () => {
    const { judge, read } = stage(TEXTS);
    const whole = pieceOf(TEXTS);
    const requestAt = (place: number) => (place === 1 ? undefined : TEXTS[place]);
    Object.assign(whole, { requestAt });
    const judged = await judge.judge(whole);
    expect(judged.map(one => one?.outcome.after)).toEqual(AFTER);
    expect(read).toEqual([[{ id: idAt(1), bytes: TEXTS[1]?.length }]]);
  });

  it('are skipped if they were deleted meanwhile', async () => {
    const { judge } = stage(TEXTS.slice(0, 3));
    const judged = await judge.judge(pieceOf(TEXTS));
    expect(judged.map(one => one?.outcome.after)).toEqual(['block', 'allow', 'block', undefined]);
  });

  it('include their requests if most are new, and digests if most are known', async () => {
    const { judge } = stage(TEXTS);
    await judge.judge(
      pieceOf(
        [0, 1, 2].map(user => textOf(user)),
        { whole: true },
      ),
    );
    expect(judge.form()).toBe('whole');
    await judge.judge(
      pieceOf(
        [0, 1, 2].map(user => textOf(user)),
        { whole: true },
      ),
    );
    expect(judge.form()).toBe('digests');
  });

  it('yield to the event loop', async () => {
    const texts = Array.from({ length: 160 }, (_, user) => textOf(user));
    const { judge, slices } = stage(texts);
    await judge.judge(pieceOf(texts, { whole: true }));
    expect(slices.steps).toBe(10);
    const digests = stage(texts);
    await digests.judge.judge(pieceOf(texts));
    expect(digests.slices.steps).toBe(170);
  });

  it('are evicted, so that a million of them use no more memory', async () => {
    const texts = Array.from({ length: 2_000 }, (_, user) => textOf(user));
    const { judge, read } = stage(texts, 64);
    await judge.judge(pieceOf(texts));
    await judge.judge(pieceOf(texts));
    expect(read[1]?.length).toBeGreaterThanOrEqual(2_000 - 64);
  });
});
