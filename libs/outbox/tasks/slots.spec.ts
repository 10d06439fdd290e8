import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

/** Slots with a clock of their own. */
function slotsOf(total: number, perKey: number) {
  const clock = { now: 0 };
  const slots = new Slots({ total, perKey }, () => clock.now);
  const freeOf = (key: string): number => slots.allowances(1, () => 0).get(key) ?? slots.others;
  /** Takes a slot for the key this many times, and leaves it each time after this many milliseconds. */
  const answer = (key: string, times: number, afterMs = 0): void => {
    for (let round = 0; round < times; round++) {
      const leave = slots.take(key);
      clock.now += afterMs;
      leave(true);
    }
  };
  return { slots, clock, freeOf, answer };
}

describe('the slots of a key', () => {
  it('are two at first, and one more with each answer, up to the limit', () => {
    const { freeOf, answer } = slotsOf(64, 5);
    expect(freeOf('new')).toBe(2);
    answer('k', 1);
    expect(freeOf('k')).toBe(3);
    answer('k', 1);
    expect(freeOf('k')).toBe(4);
    answer('k', 10);
    expect(freeOf('k')).toBe(5);
  });

  it('never exceed the limit of a key, also at first', () => {
    expect(slotsOf(64, 1).slots.others).toBe(1);
  });

  it('are freed once, even if they are freed twice', () => {
    const { slots, freeOf } = slotsOf(8, 2);
    const leave = slots.take('k');
    slots.take('k');
    expect([slots.free, slots.running, freeOf('k')]).toEqual([6, 2, 0]);
    leave(true);
    leave(true);
    expect([slots.free, slots.running, freeOf('k')]).toEqual([7, 1, 1]);
  });

  it('are one after a timeout, until the next answer', () => {
    const { slots, freeOf, answer } = slotsOf(64, 8);
    answer('k', 8);
    slots.take('k')(false);
    expect(freeOf('k')).toBe(1);
    const leave = slots.take('k');
    expect(freeOf('k')).toBe(0);
    leave(true);
    expect(freeOf('k')).toBe(3);
  });

  it('do not increase while an attempt takes longer than half a second', () => {
    const { slots, clock, freeOf, answer } = slotsOf(64, 8);
    answer('k', 8);
    const leave = slots.take('k');
    clock.now += 500;
    expect(freeOf('k')).toBe(7);
    clock.now += 1;
    expect(freeOf('k')).toBe(0);
    leave(true);
    expect(freeOf('k')).toBe(8);
  });

  it('are given to a key with slow answers, once its average is known', () => {
    const { slots, clock, freeOf, answer } = slotsOf(64, 8);
    answer('k', 40, 1_000);
    slots.take('k');
    clock.now += 4_400;
    expect(freeOf('k')).toBe(7);
    clock.now += 200;
    expect(freeOf('k')).toBe(0);
  });

  it('depend on the age of the oldest attempt', () => {
    const { slots, clock, freeOf, answer } = slotsOf(64, 8);
    answer('k', 8);
    slots.take('k');
    clock.now += 400;
    slots.take('k');
    clock.now += 200;
    expect(freeOf('k')).toBe(0);
  });
});

describe('half of all slots', () => {
  it('remain for keys that answer, however many hang', () => {
    const { slots, clock, freeOf } = slotsOf(8, 2);
    for (const key of ['a', 'b', 'c']) slots.take(key);
    clock.now += 501;
    slots.take('d')(false);
    expect(freeOf('d')).toBe(1);
    slots.take('d');
    slots.take('e')(false);
    expect(freeOf('e')).toBe(0);
    expect([freeOf('healthy'), slots.free]).toEqual([2, 4]);
  });

  it('are shared by the keys that timed out', () => {
    const { slots } = slotsOf(4, 2);
    for (const key of ['a', 'b', 'c', 'd']) slots.take(key)(false);
    expect([...slots.allowances(1, () => 0)]).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 0],
      ['d', 0],
    ]);
  });

  it('are one slot when there is only one, so that a key that timed out is retried', () => {
    const { slots, freeOf } = slotsOf(1, 1);
    slots.take('k')(false);
    slots.take('other')(false);
    expect([freeOf('k'), freeOf('other')]).toEqual([1, 0]);
  });
});

describe('slots that many keys want at once', () => {
  /** Lets the keys take slots in turn, until none of them may take more. */
  const fill = (slots: Slots, keys: readonly string[]): number[] => {
    const taken = new Map(keys.map(key => [key, 0]));
    for (let isFull = false; !isFull;) {
      isFull = true;
      for (const key of keys) {
        if (slots.freeOf(key) === 0) continue;
        slots.take(key);
        taken.set(key, taken.get(key)! + 1);
        isFull = false;
      }
    }
    return [...taken.values()];
  };
  const keysOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `k${at}`);

  it.each([
    [256, 16],
    [64, 16],
    [16, 4],
    [4, 4],
  ])('are all available to a single key (%i slots, %i per key)', (total, perKey) => {
    const { slots, answer } = slotsOf(total, perKey);
    answer('k', perKey);
    expect(fill(slots, ['k'])).toEqual([perKey]);
  });

  it.each([20, 50, 100])('are never all used by %i keys that begin to hang together', count => {
    const { slots, freeOf, answer } = slotsOf(256, 16);
    for (const key of ['healthy', ...keysOf(count)]) answer(key, 16);
    const taken = fill(slots, keysOf(count));
    expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(1);
    expect(slots.free).toBeGreaterThanOrEqual(16);
    expect(freeOf('healthy')).toBeGreaterThan(0);
  });
});

describe('the tasks of a key in advance', () => {
  it.each([
    [1, 12],
    [15, 12],
    [30, 8],
    [200, 5],
    [499, 5],
    [500, 4],
    [10_000, 4],
  ])('wait some hundredths of a second: with answers after %i ms, there are %i for four slots', (latency, given) => {
    const { slots, answer } = slotsOf(64, 4);
    answer('k', 5, latency);
    expect(slots.allowances(3, () => 0).get('k')).toBe(given);
  });
});

describe('keys without work', () => {
  it('start again with the first slots after half a minute', () => {
    const { clock, freeOf, answer } = slotsOf(64, 8);
    answer('k', 8);
    clock.now += 30_000;
    expect(freeOf('k')).toBe(8);
    clock.now += 1;
    freeOf('k');
    expect(freeOf('k')).toBe(2);
  });

  it('are kept longer than the longest retry delay after a timeout, but not forever', () => {
    const { slots, clock, freeOf } = slotsOf(64, 8);
    slots.take('k')(false);
    clock.now += 600_000;
    expect(freeOf('k')).toBe(1);
    clock.now += 300_001;
    expect(freeOf('k')).toBe(2);
  });

  it('are kept while an attempt runs', () => {
    const { slots, clock, freeOf, answer } = slotsOf(64, 8);
    answer('k', 40, 60_000);
    slots.take('k');
    clock.now += 60_000;
    expect(freeOf('k')).toBe(7);
  });
});
