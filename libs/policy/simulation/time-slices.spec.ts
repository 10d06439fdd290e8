import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TimeSlices } from './time-slices.js';

let now = 1_000;

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the slices of long work', () => {
  it('yield after a few milliseconds, and again after the next ones', async () => {
    const slices = new TimeSlices(new AbortController().signal, () => undefined);
    for (let slice = 0; slice < 2; slice++) {
      expect(slices.isDue).toBe(false);
      now += 1;
      expect(slices.isDue).toBe(false);
      now += 1;
      expect(slices.isDue).toBe(true);
      await slices.yieldNow();
    }
  });

  it('let other tasks run', async () => {
    const slices = new TimeSlices(new AbortController().signal, () => undefined);
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await slices.yieldNow();
    expect(hadTurn).toBe(true);
  });

  it('report the progress at once, and then four times a second', async () => {
    const report = jest.fn();
    const slices = new TimeSlices(new AbortController().signal, report);
    const told: number[] = [];
    for (; now <= 2_000; now += 50) {
      await slices.yieldNow();
      told.push(report.mock.calls.length);
    }
    expect(told.filter((count, at) => count !== told[at - 1])).toEqual([1, 2, 3, 4, 5]);
    expect(told.indexOf(2)).toBe(5);
  });

  it('end with the reason of the abort', async () => {
    const controller = new AbortController();
    const slices = new TimeSlices(controller.signal, () => undefined);
    controller.abort(new Error('gone'));
    await expect(slices.yieldNow()).rejects.toThrow('gone');
  });
});
