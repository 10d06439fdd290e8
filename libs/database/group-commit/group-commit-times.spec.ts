import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BufferRoom } from '#core';
import { GroupCommit } from './group-commit.js';
import { CommitInDoubtError, CommitTooLateError } from './pending-item.js';
import type { CommitAttempt, GroupCommitTerms } from './terms.js';

const value = (name: string) => Object.assign(new Error(name), { code: '22P02' });
const outage = () => Object.assign(new Error('the server is away'), { code: '57P01' });

/** A room that counts the items in it. */
class CountedRoom extends BufferRoom {
  taken = 0;
  override take(key: string, weight: number): void {
    this.taken += weight;
    super.take(key, weight);
  }
  override give(key: string, weight: number): void {
    this.taken -= weight;
    super.give(key, weight);
  }
}

describe('a group commit over time', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
  const nameOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : 'no error');
  const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  /** A fake database. Its statements and commits can fail or be delayed. */
  function database(terms: Partial<GroupCommitTerms<string, string>> = {}) {
    const written: string[][] = [];
    const attempts: { items: readonly string[]; isRepeat: boolean; isAwaited: boolean }[] = [];
    const lost: { items: readonly string[]; error: string }[] = [];
    const told: string[] = [];
    const faults: {
      statement?: ((items: readonly string[]) => Error | undefined) | undefined;
      commit?: Error | undefined;
    } = {};
    const takes = { statement: 0, commit: 0 };
    const wait = (ms: number): Promise<void> =>
      ms > 0 ? new Promise(done => setTimeout(done, ms)) : Promise.resolve();
    const buffer = new CountedRoom(1_000, 1);
    const group = new GroupCommit<string, string>({
      ...{ maxWeight: 4, concurrency: 1, gathers: true, lingerMs: 50, room: { buffer } },
      retry: {
        ...{ firstMs: 100, maxMs: 400 },
        onOutage: error => told.push(nameOf(error)),
        onRecovery: () => told.push('over'),
      },
      onLost: (_key, items, error) => lost.push({ items, error: nameOf(error) }),
      commit: async (_key, items, attempt: CommitAttempt) => {
        attempts.push({ items, isRepeat: attempt.isRepeat, isAwaited: attempt.isAwaited });
        await wait(takes.statement);
        const fault = faults.statement?.(items);
        if (fault) throw fault;
        attempt.seal();
        await wait(takes.commit);
        if (faults.commit) throw faults.commit;
        written.push([...items]);
        return items.map(item => `${item}!`);
      },
      ...terms,
    });
    return { group, written, attempts, lost, told, faults, takes, buffer };
  }

  it('writes items that nobody awaits together after the linger time, or at once if they fill a group', async () => {
    const { group, written } = database();
    for (const item of ['a', 'b']) group.put('org', item);
    await pass(49);
    expect(written).toEqual([]);
    expect([...group.waitingItems()]).toEqual(['a', 'b']);
    await pass(1);
    expect(written).toEqual([['a', 'b']]);
    for (const item of ['c', 'd', 'e', 'f', 'g']) group.put('org', item);
    await pass(0);
    expect(written.slice(1)).toEqual([['c', 'd', 'e', 'f']]);
    await pass(50);
    expect(written.slice(2)).toEqual([['g']]);
  });

  it('writes an awaited item at once and before the others, some of which share its group', async () => {
    const { group, written, attempts } = database();
    group.put('org', 'a');
    group.put('org', 'b');
    const outcome = group.add('org', 'urgent');
    await pass(0);
    expect(await outcome).toBe('urgent!');
    expect(written).toEqual([['urgent', 'a', 'b']]);
    expect(attempts[0]).toMatchObject({ isAwaited: true, isRepeat: false });
    group.put('org', 'c');
    await pass(50);
    expect(attempts[1]).toMatchObject({ isAwaited: false, isRepeat: false });
  });

  it('adds no unawaited item to a group while awaited items are left that do not fit into it', async () => {
    const { group, written } = database({ weightOf: item => item.length });
    group.put('org', 'c');
    const outcomes = ['aaa', 'bbb'].map(item => group.add('org', item));
    await pass(0);
    await Promise.all(outcomes);
    expect(written).toEqual([['aaa'], ['bbb', 'c']]);
  });

  it('flushes the waiting items of one key or of all, also those that came during a transaction', async () => {
    const { group, written, takes } = database();
    group.put('org', 'a');
    group.put('other', 'b');
    await group.flush('org');
    expect(written).toEqual([['a']]);
    await group.flush();
    expect(written).toEqual([['a'], ['b']]);
    takes.statement = 10;
    group.put('org', 'c');
    await pass(50);
    group.put('org', 'd');
    const flushed = group.flush('org');
    await pass(20);
    await flushed;
    expect(written.slice(2)).toEqual([['c'], ['d']]);
    await group.flush('nobody');
  });

  it('retries a group with growing delays in an outage, while later items of its key wait and other keys continue', async () => {
    const { group, written, attempts, told, faults } = database();
    faults.statement = items => (items.some(item => item !== 'other') ? outage() : undefined);
    group.put('org', 'a');
    await pass(50);
    group.put('org', 'later');
    group.put('second', 'too');
    group.put('other', 'other');
    await pass(50 + 100 + 200 + 400 + 400);
    expect(written).toEqual([['other']]);
    expect(attempts.filter(({ items }) => items[0] === 'a').map(({ isRepeat }) => isRepeat)).toEqual([
      ...[false, true, true, true],
      true,
    ]);
    expect(attempts.some(({ items }) => items.includes('later'))).toBe(false);
    expect(group.stuck.size).toBe(2);
    expect(told).toEqual(['Error: the server is away']);
    faults.statement = undefined;
    await pass(500);
    expect(written).toEqual([['other'], ['a'], ['too'], ['later']]);
    expect(told).toEqual(['Error: the server is away', 'over']);
    expect(group.stuck.size).toBe(0);
  });

  it('retries a delayed group at once on request', async () => {
    const { group, written, faults } = database();
    faults.statement = outage;
    group.put('org', 'a');
    await pass(50);
    const [stuck] = group.stuck;
    let tries = 0;
    void stuck!.retry().then(() => tries++);
    await pass(0);
    expect([tries, written.length, group.stuck.size]).toEqual([1, 0, 1]);
    faults.statement = undefined;
    await stuck!.retry();
    expect(written).toEqual([['a']]);
  });

  it('continues with later items while a group with an unknown error is retried', async () => {
    const { group, written, faults, told } = database();
    faults.statement = items => (items.includes('odd') ? new Error('who knows') : undefined);
    group.put('org', 'odd');
    await pass(50);
    const outcome = group.add('org', 'a');
    await pass(0);
    expect(await outcome).toBe('a!');
    expect(told).toEqual(['Error: who knows']);
    faults.statement = undefined;
    await pass(100);
    expect(written).toEqual([['a'], ['odd']]);
    await group.close();
  });

  it('retries one group of a key at a time, in parallel with later groups', async () => {
    let running = 0;
    let most = 0;
    const { group, faults } = database({
      commit: async (_key, items) => {
        most = Math.max(most, ++running);
        await new Promise(done => setTimeout(done, 150));
        running--;
        if (faults.statement) throw new Error('who knows');
        return items.map(item => `${item}!`);
      },
    });
    faults.statement = () => undefined;
    for (const item of ['a', 'b', 'c', 'd']) {
      group.put('org', item);
      await pass(210);
    }
    expect(most).toBe(2);
    faults.statement = undefined;
    await pass(3_000);
    expect(group.stuck.size).toBe(0);
  });

  it('loses only the invalid item, and notifies its caller or `onLost`', async () => {
    const { group, written, attempts, lost, faults, buffer } = database();
    faults.statement = items => (items.some(item => item.startsWith('bad')) ? value('bad value') : undefined);
    const bad = outcomeOf(group.add('org', 'bad awaited'));
    for (const item of ['a', 'bad', 'b']) group.put('org', item);
    await pass(50);
    expect(nameOf(await bad)).toBe('Error: bad value');
    expect(lost).toEqual([{ items: ['bad'], error: 'Error: bad value' }]);
    expect(written).toEqual([['a'], ['b']]);
    expect(attempts.map(({ isRepeat }) => isRepeat)).toEqual([false, true, true, true, true, true, true]);
    expect(buffer.taken).toBe(0);
  });

  it("splits a group in halves for errors that its options classify as an item's fault", async () => {
    const { group, lost, faults } = database({ isItemFault: () => true });
    faults.statement = items => (items.includes('bad') ? new Error('who knows') : undefined);
    for (const item of ['a', 'bad']) group.put('org', item);
    await pass(50);
    expect(lost).toEqual([{ items: ['bad'], error: 'Error: who knows' }]);
  });

  it('closes after its time limit, and reports the lost items', async () => {
    const { group, lost, faults, attempts } = database();
    faults.statement = outage;
    group.put('org', 'a');
    const awaited = outcomeOf(group.add('org', 'b'));
    const closed = group.close(1_000);
    await pass(1_000);
    await closed;
    expect(lost).toEqual([{ items: ['a'], error: 'Error: the server is away' }]);
    expect(nameOf(await awaited)).toBe('Error: the server is away');
    expect(attempts).toHaveLength(4);
  });

  it('waits for groups that are being retried when it closes', async () => {
    const { group, written, faults } = database();
    faults.statement = () => new Error('who knows');
    group.put('org', 'a');
    await pass(50);
    const closed = group.close(10_000);
    faults.statement = undefined;
    await pass(100);
    await closed;
    expect(written).toEqual([['a']]);
  });

  describe('an item with a time limit', () => {
    it('is never written afterwards if it waited for the previous group', async () => {
      const { group, written, takes, buffer } = database();
      takes.statement = 2_000;
      group.put('org', 'a');
      await pass(50);
      const late = outcomeOf(group.add('org', 'late', 1_000));
      expect([...group.waitingItems()]).toEqual(['late']);
      expect(group.awaitedWeight('org')).toBe(1);
      await pass(1_000);
      expect(await late).toBeInstanceOf(CommitTooLateError);
      expect([...group.waitingItems()]).toEqual([]);
      expect(group.awaitedWeight('org')).toBe(0);
      takes.statement = 0;
      group.put('org', 'b');
      await pass(1_000);
      expect(written).toEqual([['a']]);
      // Items that were withdrawn do not count toward the size of a group.
      for (const item of ['c', 'd']) group.put('org', item);
      await pass(0);
      expect([...group.waitingItems()]).toEqual(['b', 'c', 'd']);
      await pass(50);
      expect(written).toEqual([['a'], ['b', 'c', 'd']]);
      expect(buffer.taken).toBe(0);
    });

    it('is never written afterwards if its transaction took too long, and is repeated without it', async () => {
      const { group, written, takes, buffer } = database();
      takes.statement = 2_000;
      const late = outcomeOf(group.add('org', 'late', 1_000));
      group.put('org', 'a');
      await pass(1_000);
      expect(await late).toBeInstanceOf(CommitTooLateError);
      await pass(3_000);
      expect(written).toEqual([['a']]);
      expect([group.awaitedWeight('org'), buffer.taken]).toEqual([0, 0]);
    });

    it('is never written afterwards if its group is retried in an outage', async () => {
      const { group, written, faults } = database();
      faults.statement = outage;
      const late = outcomeOf(group.add('org', 'late', 1_000));
      group.put('org', 'a');
      await pass(1_000);
      expect(await late).toBeInstanceOf(CommitTooLateError);
      faults.statement = undefined;
      await pass(400);
      expect(written).toEqual([['a']]);
    });

    it('waits a little longer for a running commit', async () => {
      const { group, takes } = database();
      takes.commit = 1_900;
      const outcome = group.add('org', 'a', 1_000);
      await pass(1_900);
      expect(await outcome).toBe('a!');
    });

    it('is reported as possibly written if its commit never ends', async () => {
      const { group, takes } = database();
      takes.commit = 3_500;
      const late = outcomeOf(group.add('org', 'a', 1_000));
      await pass(3_000);
      expect(await late).toBeInstanceOf(CommitInDoubtError);
      await pass(500);
    });

    it('is reported as possibly written if its commit was not answered', async () => {
      const { group, faults, lost } = database();
      faults.commit = outage();
      const late = outcomeOf(group.add('org', 'a', 1_000));
      await pass(50);
      faults.statement = outage;
      await pass(950);
      expect(await late).toBeInstanceOf(CommitInDoubtError);
      expect(lost).toEqual([]);
    });

    it('is reported as possibly written if no retry is left after an unanswered commit', async () => {
      const { group, faults } = database();
      faults.commit = outage();
      const lost = outcomeOf(group.add('org', 'a', 10_000));
      await pass(50);
      const closed = group.close(500);
      await pass(500);
      await closed;
      expect(await lost).toBeInstanceOf(CommitInDoubtError);
    });
  });
});
