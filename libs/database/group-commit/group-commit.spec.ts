import { describe, expect, it } from '@jest/globals';
import { BufferRoom } from '#core';
import { GroupCommit } from './group-commit.js';
import type { GroupCommitTerms } from './terms.js';

const value = (name: string) => Object.assign(new Error(name), { code: '22P02' });
const outage = () => Object.assign(new Error('the server is away'), { code: '57P01' });
const conflict = () => Object.assign(new Error('deadlock'), { code: '40P01' });
const turns = async (n = 5): Promise<void> => {
  for (let turn = 0; turn < n; turn++) await new Promise(done => setImmediate(done));
};

/** A fake database whose transactions end when the test decides. */
function gated(terms: Partial<GroupCommitTerms<string, string>> = {}) {
  const begun: { key: string; items: readonly string[]; end: (error?: Error) => void }[] = [];
  const group = new GroupCommit<string, string>({
    maxWeight: 100,
    concurrency: 1,
    ...terms,
    commit: (key, items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void => (error ? reject(error) : resolve(items.map(item => `${item}!`)));
        begun.push({ key, items, end });
      }),
  });
  return { group, begun, items: () => begun.map(each => each.items) };
}

describe('a group commit', () => {
  it('starts the first item at once and puts later ones into the next transaction', async () => {
    const { group, begun, items } = gated();
    const outcomes = ['a', 'b', 'c'].map(item => group.add('org', item));
    expect(items()).toEqual([['a']]);
    begun[0]!.end();
    await turns();
    expect(items()).toEqual([['a'], ['b', 'c']]);
    begun[1]!.end();
    expect(await Promise.all(outcomes)).toEqual(['a!', 'b!', 'c!']);
  });

  it('puts items of one turn of the event loop into one transaction if gathering is on', async () => {
    const { group, begun, items } = gated({ gathers: true });
    const outcomes = ['a', 'b', 'c'].map(item => group.add('org', item));
    await turns();
    expect(items()).toEqual([['a', 'b', 'c']]);
    begun[0]!.end();
    expect(await Promise.all(outcomes)).toHaveLength(3);
  });

  it('runs the configured number of transactions of a key, and those of other keys in parallel', async () => {
    const { group, begun } = gated({ concurrency: 2 });
    const outcomes = ['a', 'b', 'c'].map(item => group.add('one', item));
    outcomes.push(group.add('other', 'd'));
    expect(begun.map(({ key, items }) => [key, ...items])).toEqual([
      ['one', 'a'],
      ['one', 'b'],
      ['other', 'd'],
    ]);
    for (const each of begun) each.end();
    await turns();
    begun[3]!.end();
    expect(await Promise.all(outcomes)).toEqual(['a!', 'b!', 'c!', 'd!']);
  });

  it('runs at most the configured number of transactions of all keys; the next key follows when a transaction ends', async () => {
    const { group, begun } = gated({ totalConcurrency: 2 });
    const outcomes = ['one', 'two', 'three'].map(key => group.add(key, key));
    await turns();
    expect(begun.map(({ key }) => key)).toEqual(['one', 'two']);
    begun[1]!.end();
    await turns();
    expect(begun.map(({ key }) => key)).toEqual(['one', 'two', 'three']);
    begun[0]!.end();
    begun[2]!.end();
    expect(await Promise.all(outcomes)).toEqual(['one!', 'two!', 'three!']);
  });

  it('returns the items that are not yet being written, of all keys', async () => {
    const { group, begun } = gated({ lingerMs: 60_000 });
    const outcomes = ['a', 'b'].map(item => group.add('org', item));
    group.put('org', 'c');
    group.put('other', 'd');
    expect([...group.waitingItems()]).toEqual(['b', 'c', 'd']);
    const closed = group.close();
    for (let at = 0; at < 3; at++) {
      begun[at]?.end();
      await turns();
    }
    await closed;
    expect(await Promise.all(outcomes)).toEqual(['a!', 'b!']);
    expect([...group.waitingItems()]).toEqual([]);
  });

  it('fills a transaction up to its weight, and gives a heavier item its own', async () => {
    const { group, begun, items } = gated({ maxWeight: 4, weightOf: item => item.length });
    const outcomes = ['-', 'aa', 'bb', 'c', 'eeeeeee', 'f'].map(item => group.add('org', item));
    for (let n = 0; n < 4; n++) {
      begun[n]!.end();
      await turns();
    }
    expect(items()).toEqual([['-'], ['aa', 'bb'], ['c'], ['eeeeeee'], ['f']]);
    begun[4]!.end();
    await Promise.all(outcomes);
  });

  it('fails only the items that cannot be stored, in few transactions', async () => {
    let transactions = 0;
    const group = new GroupCommit<string, string>({
      ...{ maxWeight: 1_000, concurrency: 1, gathers: true },
      commit: async (_key, items) => {
        transactions++;
        if (items.includes('bad')) throw value('bad value');
        return items.map(item => `${item}!`);
      },
    });
    const given = Array.from({ length: 256 }, (_, n) => (n === 77 ? 'bad' : `ok ${n}`));
    const outcomes = await Promise.allSettled(given.map(item => group.add('org', item)));
    expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([77]);
    expect(transactions).toBe(17);
  });

  it('fails a whole group after one attempt if the database is down', async () => {
    const { group, begun } = gated({ gathers: true });
    const outcomes = ['a', 'b', 'c'].map(item => group.add('org', item));
    await turns();
    begun[0]!.end(outage());
    expect((await Promise.allSettled(outcomes)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(begun).toHaveLength(1);
  });

  it('repeats a transaction that was aborted by a conflict', async () => {
    const { group, begun } = gated();
    const outcome = group.add('org', 'a');
    begun[0]!.end(conflict());
    while (begun.length < 2) await turns(1);
    begun[1]!.end();
    expect(await outcome).toBe('a!');
  });

  it('refuses a key that exceeds its share of the queue, and keeps capacity for others', async () => {
    const { group, begun } = gated({ room: { buffer: new BufferRoom(4, 1), full: () => new Error('too fast') } });
    const outcomes = ['a', 'b'].map(item => group.add('one', item));
    await expect(group.add('one', 'c')).rejects.toThrow('too fast');
    outcomes.push(group.add('other', 'd'));
    for (const each of begun) each.end();
    await turns();
    begun[2]!.end();
    await Promise.all(outcomes);
    const again = group.add('one', 'e');
    await turns();
    begun[3]!.end();
    expect(await again).toBe('e!');
  });

  it('closes when everything that was added is written', async () => {
    const { group, begun } = gated({ gathers: true });
    await group.close();
    const outcomes = [group.add('one', 'a'), group.add('other', 'b')];
    let isClosed = false;
    const closed = group.close().then(() => (isClosed = true));
    await turns();
    begun[0]!.end();
    await turns();
    expect(isClosed).toBe(false);
    begun[1]!.end();
    await closed;
    await Promise.all(outcomes);
  });

  it('waits before the next transaction for callers that were just answered, if gathering is on', async () => {
    const { group, begun, items } = gated({ gathers: true, maxWeight: 2 });
    const outcomes = ['a', 'b'].map(async item => {
      await group.add('org', item);
      // As real callers do, other work runs between the answer and the next call.
      for (let step = 0; step < 20; step++) await Promise.resolve();
      return group.add('org', `${item} again`);
    });
    outcomes.push(group.add('org', 'c'));
    await turns();
    begun[0]!.end();
    await turns();
    expect(items()).toEqual([
      ['a', 'b'],
      ['c', 'a again'],
    ]);
    for (const at of [1, 2]) {
      begun[at]!.end();
      await turns();
    }
    expect(await Promise.all(outcomes)).toEqual(['a again!', 'b again!', 'c!']);
  });

  it('fails the group if its commit returns fewer results than items', async () => {
    const group = new GroupCommit<string, string>({ maxWeight: 9, concurrency: 1, commit: async () => [] });
    await expect(group.add('org', 'a')).rejects.toThrow('one outcome per item');
  });
});
