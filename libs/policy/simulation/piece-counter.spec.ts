import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pieceOf } from '../testing/recorded-piece.js';
import type { JudgedRequest } from './judged-requests.js';
import { PieceCounter, type PieceCounterPorts } from './piece-counter.js';
import { SimulationTally } from './simulation-tally.js';

const REFUSED = { before: 'allow', after: 'block', isMatched: true } as const;
const PACE = { isDue: false, yieldNow: async () => undefined };

const refusedOf = (user: string): JudgedRequest => ({
  outcome: REFUSED,
  weight: 1,
  keys: { userId: user, userEmail: null, department: null, model: 'large' },
});

/** Counts chunks of refused requests, each by another user. */
async function count(pieces: readonly string[][], held: number, given: Partial<PieceCounterPorts> = {}) {
  const tally = new SimulationTally(false, held);
  const costsOf: PieceCounterPorts['costsOf'] = async refused => {
    await nextTurn();
    return new Map(refused.map(({ decisionId }) => [decisionId, 1n]));
  };
  const counter = new PieceCounter({ tally, slices: PACE, costsOf, ...given });
  let firstId = 0;
  for (const people of pieces) {
    const piece = pieceOf(people, { firstId });
    await counter.add(
      piece,
      people.map(user => refusedOf(user)),
    );
    firstId += people.length;
  }
  await counter.end();
  return tally;
}

describe('the cost of refused requests', () => {
  it('is added for each of them at the end', async () => {
    const tally = await count([['a', 'b'], ['a']], 100);
    expect(tally.picodollars).toBe(3n);
    expect(tally.users.top().top.map(({ label, picodollars }) => [label.userId, picodollars])).toEqual([
      ['a', 2n],
      ['b', 1n],
    ]);
  });

  it('is in the sums by user, even of users that were evicted', async () => {
    const pieces = Array.from({ length: 20 }, (_, piece) => [0, 1, 2].map(person => `u${piece}-${person}`));
    const tally = await count(pieces, 4);
    const { top, others, isExact } = tally.users.top();
    expect(isExact).toBe(false);
    expect(top.reduce((sum, { picodollars }) => sum + picodollars, others?.picodollars ?? 0n)).toBe(60n);
  });

  it('is queried while the next chunk is evaluated', async () => {
    const asked: number[] = [];
    let answer = (): void => undefined;
    const counter = new PieceCounter({
      tally: new SimulationTally(false),
      slices: PACE,
      costsOf: async refused => {
        asked.push(refused.length);
        await new Promise<void>(done => (answer = done));
        return new Map();
      },
    });
    await counter.add(pieceOf(['a', 'b']), [refusedOf('a'), refusedOf('b')]);
    expect(asked).toEqual([2]);
    answer();
    await counter.end();
  });

  it('is counted without blocking the event loop', async () => {
    const slices = { steps: 0, isDue: true, yieldNow: async () => void slices.steps++ };
    await count([Array.from({ length: 160 }, (_, user) => `u${user}`)], 1_000, { slices });
    expect(slices.steps).toBe(10);
  });

  it('ends the work if it cannot be determined', async () => {
    const costsOf = async () => Promise.reject(new Error('away'));
    await expect(count([['a']], 100, { costsOf })).rejects.toThrow('away');
  });
});
