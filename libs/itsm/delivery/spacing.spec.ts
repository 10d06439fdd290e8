import { describe, expect, it } from '@jest/globals';
import { Spacing } from './spacing.js';

describe('requests that are to begin', () => {
  const turns: { at: number; name: string }[] = [];
  const spacing = new Spacing(25);
  const turn = async (name: string, connector = 'one') => {
    await spacing.turn(connector);
    turns.push({ at: performance.now(), name });
  };

  it('begin one after the other, in the order in which they came; the first of each connector at once', async () => {
    const begun = performance.now();
    const all = Promise.all([turn('first'), turn('second'), turn('third'), turn('other', 'two'), turn('fourth')]);
    for (let microtasks = 0; microtasks < 5; microtasks++) await Promise.resolve();
    expect(turns.map(({ name }) => name)).toEqual(['first', 'other']);
    await all;
    expect(turns.map(({ name }) => name)).toEqual(['first', 'other', 'second', 'third', 'fourth']);
    const later = turns.slice(2);
    // A timer counts whole milliseconds, so it may fire up to two early.
    for (const [nth, { at }] of later.entries()) expect(at - begun).toBeGreaterThanOrEqual(25 * (nth + 1) - 2);
  });
});
