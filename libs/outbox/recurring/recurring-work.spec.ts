import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RecurringWork } from './recurring-work.js';

describe('recurring work', () => {
  const closing: (() => Promise<void>)[] = [];
  const database = { beforeClose: (work: () => Promise<void>) => void closing.push(work) };
  const close = () => Promise.all(closing.map(work => work()));

  beforeEach(() => {
    closing.length = 0;
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** A chore with so much to do in each of its next rounds. */
  function chore(amounts: number[], isDueAtStart = false) {
    let rounds = 0;
    const round = async () => {
      rounds++;
      return amounts.shift() ?? 0;
    };
    return { everyMs: 1_000, isDueAtStart, failure: 'It failed', round, rounds: () => rounds };
  }

  it('is done at each interval, in rounds until nothing is left', async () => {
    const work = new RecurringWork(database, {});
    const tidy = chore([5, 3, 0, 2]);
    work.add(tidy);
    work.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(999);
    expect(tidy.rounds()).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(tidy.rounds()).toBe(3);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(tidy.rounds()).toBe(5);
  });

  it('begins at the start where that is wanted', async () => {
    const work = new RecurringWork(database, {});
    const [early, late] = [chore([], true), chore([])];
    for (const each of [early, late]) work.add(each);
    work.onApplicationBootstrap();
    expect([early.rounds(), late.rounds()]).toEqual([1, 0]);
  });

  it('does nothing by itself where the process does no background work, and everything when asked', async () => {
    const work = new RecurringWork(database, { workers: false });
    const tidy = chore([4, 1], true);
    const look = work.add(tidy);
    work.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(tidy.rounds()).toBe(0);
    expect(await look()).toBe(5);
  });

  it('is done by one look at a time, which all share who come meanwhile', async () => {
    const work = new RecurringWork(database, {});
    const tidy = chore([1, 1, 1]);
    const look = work.add(tidy);
    expect(await Promise.all([look(), look(), look()])).toEqual([3, 3, 3]);
    expect(tidy.rounds()).toBe(4);
    expect(await look()).toBe(0);
  });

  it('is tried again after a failure, which the log tells of', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const work = new RecurringWork(database, {});
    const round = jest.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('no database')).mockResolvedValue(0);
    work.add({ everyMs: 1_000, failure: 'It failed', round });
    work.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(round).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([['It failed; the next try is in 1 s: no database']]);
  });

  it('ends with the round that is under way before the connections close, and never begins again', async () => {
    const work = new RecurringWork(database, {});
    let rounds = 0;
    let end = () => {};
    const look = work.add({
      everyMs: 1_000,
      failure: 'It failed',
      round: () => {
        rounds++;
        return new Promise(resolve => (end = () => resolve(1)));
      },
    });
    work.onApplicationBootstrap();
    const looking = look();
    let closed = false;
    const closes = close().then(() => (closed = true));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(closed).toBe(false);
    end();
    await closes;
    expect([await looking, rounds]).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(rounds).toBe(1);
  });
});
