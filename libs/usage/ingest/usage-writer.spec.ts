import { describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, UnavailableError, UserDirectory } from '#core';
import { OrgDatabase } from '#database';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { SpendLedger } from '../spend/spend-ledger.js';
import type { Expected } from './usage-ledger.js';
import { UsageWriter } from './usage-writer.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';

const NO_BUDGETS = new SpendLedger(undefined as never, undefined as never, undefined as never);

class StillClock extends Clock {
  now(): Date {
    return new Date('2026-11-20T12:00:00Z');
  }
}

class NoDirectory extends UserDirectory {
  find(): Promise<never[]> {
    return Promise.resolve([]);
  }
  emails(): Promise<Map<string, string>> {
    return Promise.resolve(new Map());
  }
  recordActivity(): Promise<void> {
    return Promise.resolve();
  }
}

function event(id: string): PricedEvent {
  return {
    id,
    userId: 'u',
    department: null,
    tokenId: null,
    project: null,
    tags: null,
    attribution: { id: 'a', sharedId: 's', notes: [] },
    userEmail: null,
    provider: 'p',
    model: 'm',
    occurredAt: new Date('2026-11-20T11:00:00Z'),
    tokens: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
    requests: 1,
    serviceTier: 'standard',
    region: null,
    costPicodollars: null,
    decisionId: null,
    metadataJson: null,
    cost: { picodollars: 0n, source: null, version: null },
    fingerprint: Buffer.from(id.padEnd(16)).toString('hex'),
  };
}

class NoDatabase extends OrgDatabase {
  override async transaction<T>(_orgId: string, work: (em: never) => Promise<T>): Promise<T> {
    await Promise.resolve();
    return work(undefined as never);
  }
}

const UNSTORABLE = Object.assign(new Error('bad event'), { code: '22P05' });

/** A writer whose transactions record the ids that they insert. A transaction fails if one of its ids is `bad`. */
function writerOver(transactions: string[][], failure: Error = UNSTORABLE): UsageWriter {
  class Writer extends UsageWriter {
    override async writeWithin(_em: EntityManager, _orgId: string, events: readonly PricedEvent[]) {
      transactions.push(events.map(({ id }) => id));
      await new Promise(done => setTimeout(done, 5));
      if (events.some(({ id }) => id === 'bad')) throw failure;
      return events.map(({ id }) => (id === 'seen' ? ('duplicate' as const) : ('accepted' as const)));
    }
  }
  return new Writer(new NoDatabase(undefined as never), new NoDirectory(), NO_BUDGETS, new StillClock());
}

/**
 * A writer over a table that contains the ids in `stored`. If the caller expects only new events, it rejects a batch
 * with such an id.
 */
function writerBeside(stored: Set<string>, attempts: Expected[], now: () => Date): UsageWriter {
  class Writer extends UsageWriter {
    override async writeWithin(
      _em: EntityManager,
      _orgId: string,
      events: readonly PricedEvent[],
      expected: Expected,
    ): Promise<EventOutcome[]> {
      attempts.push(expected);
      if (expected === 'new events' && events.some(({ id }) => stored.has(id))) {
        throw Object.assign(new Error('duplicate key'), { code: '23505' });
      }
      return events.map(({ id }) => (stored.has(id) ? 'duplicate' : 'accepted'));
    }
  }
  class ManualClock extends Clock {
    override now = now;
  }
  return new Writer(new NoDatabase(undefined as never), new NoDirectory(), NO_BUDGETS, new ManualClock());
}

describe('UsageWriter', () => {
  it('writes three batches at once and later ones together; each gets the results of its own events', async () => {
    const transactions: string[][] = [];
    const writer = writerOver(transactions);
    const outcomes = await Promise.all([
      ...['x', 'y', 'z'].map(id => writer.write(ORG, [event(id)])),
      writer.write(ORG, [event('c'), event('seen')]),
      writer.write(ORG, [event('d')]),
    ]);
    expect(transactions).toEqual([['x'], ['y'], ['z'], ['c', 'seen', 'd']]);
    expect(outcomes.slice(3)).toEqual([['accepted', 'duplicate'], ['accepted']]);
  });

  it('never makes one organization wait for another', async () => {
    const transactions: string[][] = [];
    const writer = writerOver(transactions);
    const both = [writer.write(ORG, [event('a')]), writer.write(ORG.replace('0199', '0200'), [event('b')])];
    await Promise.resolve();
    await new Promise(done => setTimeout(done, 1));
    expect(transactions).toEqual([['a'], ['b']]);
    await Promise.all(both);
  });

  it('fails only the invalid batch, and continues afterwards', async () => {
    const transactions: string[][] = [];
    const writer = writerOver(transactions);
    const results = await Promise.allSettled([
      ...['x', 'y', 'z'].map(id => writer.write(ORG, [event(id)])),
      writer.write(ORG, [event('c')]),
      writer.write(ORG, [event('bad')]),
    ]);
    expect(results.slice(3).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(transactions.slice(3)).toEqual([['c', 'bad'], ['c'], ['bad']]);
    expect(await writer.write(ORG, [event('d')])).toEqual(['accepted']);
  });

  it.each([
    ['a statement without an answer', new Error('Query read timeout')],
    ['an unavailable user directory', new UnavailableError('away')],
  ])('tries batches that share a transaction once and fails all of them on %s', async (_when, failure) => {
    const transactions: string[][] = [];
    const writer = writerOver(transactions, failure);
    const results = await Promise.allSettled([
      ...['x', 'y', 'z'].map(id => writer.write(ORG, [event(id)])),
      ...['c', 'bad', 'd'].map(id => writer.write(ORG, [event(id)])),
    ]);
    expect(transactions.slice(3)).toEqual([['c', 'bad', 'd']]);
    expect(results.slice(3).map(result => 'reason' in result && result.reason === failure)).toEqual([true, true, true]);
    expect(await writer.write(ORG, [event('e')])).toEqual(['accepted']);
  });

  it('puts at most 8,000 events into one transaction', async () => {
    const transactions: string[][] = [];
    const writer = writerOver(transactions);
    const batch = (name: string, size: number) => Array.from({ length: size }, (_, index) => event(`${name}${index}`));
    await Promise.all([
      ...['x', 'y', 'z'].map(id => writer.write(ORG, batch(id, 1))),
      writer.write(ORG, batch('b', 5_000)),
      writer.write(ORG, batch('c', 3_000)),
      writer.write(ORG, batch('d', 1)),
    ]);
    expect(transactions.map(ids => ids.length)).toEqual([1, 1, 1, 8_000, 1]);
  });

  it('refuses batches while 100,000 events of the organization wait, accepts those of others, and accepts all again afterwards', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>(done => (open = done));
    class Writer extends UsageWriter {
      override async writeWithin(_em: EntityManager, _orgId: string, events: readonly PricedEvent[]) {
        await gate;
        if (events.some(({ id }) => id === 'bad')) throw new Error('bad event');
        return events.map(() => 'accepted' as const);
      }
    }
    const writer = new Writer(new NoDatabase(undefined as never), new NoDirectory(), NO_BUDGETS, new StillClock());
    const full = Array.from({ length: 8_000 }, () => event('a'));
    const waiting = Array.from({ length: 12 }, () => writer.write(ORG, full));
    const failing = writer.write(ORG, [...full.slice(1), event('bad')]).catch(() => 'failed');
    const refused = writer.write(ORG, [event('b')]);
    waiting.push(writer.write(ORG.replace('0199', '0200'), [event('b')]));
    await expect(refused).rejects.toThrow(UnavailableError);
    await expect(refused).rejects.toThrow(/This batch was not stored; send it again/);
    open();
    await Promise.all(waiting);
    expect(await failing).toBe('failed');
    await Promise.all(Array.from({ length: 13 }, () => writer.write(ORG, full)));
  });

  it('expects events that are already stored for a minute after one came, only from the same organization', async () => {
    let now = new Date('2026-11-20T12:00:00Z');
    const attempts: Expected[] = [];
    const writer = writerBeside(new Set(['seen']), attempts, () => now);
    const write = async (id: string, orgId = ORG): Promise<Expected[]> => {
      attempts.length = 0;
      await writer.write(orgId, [event(id)]);
      return [...attempts];
    };
    expect(await write('a')).toEqual(['new events']);
    expect(await write('seen')).toEqual(['new events', 'anything']);
    expect(await write('b')).toEqual(['anything']);
    expect(await write('b', ORG.replace('0199', '0200'))).toEqual(['new events']);
    now = new Date(now.getTime() + 59_999);
    expect(await write('seen')).toEqual(['anything']);
    now = new Date(now.getTime() + 59_999);
    expect(await write('c')).toEqual(['anything']);
    now = new Date(now.getTime() + 1);
    expect(await write('d')).toEqual(['new events']);
  });
});
