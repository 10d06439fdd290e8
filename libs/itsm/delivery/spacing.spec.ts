import { beforeEach, describe, expect, it } from '@jest/globals';
import { Spacing } from './spacing.js';

describe('the spacing of requests', () => {
  let now: number;
  let turns: string[];
  let sleeps: number[];
  let wakes: (() => void)[];
  let spacing: Spacing;

  beforeEach(() => {
    [now, turns, sleeps, wakes] = [1_000, [], [], []];
    const sleep = (milliseconds: number): Promise<void> => {
      sleeps.push(milliseconds);
      return new Promise(done => wakes.push(done));
    };
    spacing = new Spacing(25, { now: () => now, sleep });
  });

  const turn = async (name: string, connector = 'one'): Promise<void> => {
    await spacing.turn(connector);
    turns.push(name);
  };

  it('starts requests one after the other, in order; the first one of each connector at once', async () => {
    const all = [turn('first'), turn('second'), turn('third'), turn('other', 'two'), turn('fourth')];
    await Promise.all([all[0], all[3]]);
    expect(turns).toEqual(['first', 'other']);
    expect(sleeps).toEqual([25, 50, 75]);
    for (const wake of wakes) wake();
    await Promise.all(all);
    expect(turns).toEqual(['first', 'other', 'second', 'third', 'fourth']);
  });

  it('starts a request at once if the last one began long enough ago, and otherwise after the rest of the interval', async () => {
    await turn('first');
    now += 25;
    await turn('second');
    now += 10;
    const third = turn('third');
    expect(sleeps).toEqual([15]);
    wakes[0]?.();
    await third;
    expect(turns).toEqual(['first', 'second', 'third']);
  });
});
