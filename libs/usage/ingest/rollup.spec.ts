import { describe, expect, it } from '@jest/globals';
import type { PricedEvent } from './priced-event.js';
import { COUNTS, MONEY } from '../figures/index.js';
import { rollUp, type RollupRow } from './rollup.js';

function event(fields: Partial<PricedEvent> & { at: string }): PricedEvent {
  const { at, ...rest } = fields;
  return {
    id: 'e',
    userId: 'u1',
    department: null,
    tokenId: null,
    project: null,
    tags: null,
    attribution: { id: 'a', sharedId: 's', notes: [] },
    userEmail: null,
    provider: 'p',
    model: 'm',
    occurredAt: new Date(at),
    tokens: { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4, reasoning_tokens: 5 },
    requests: 1,
    serviceTier: 'standard',
    region: null,
    costPicodollars: null,
    decisionId: null,
    metadataJson: null,
    cost: { picodollars: 7n, source: 'test', version: null },
    fingerprint: '00'.repeat(16),
    ...rest,
  };
}

function figures({ counts, money }: RollupRow): Record<string, number | bigint | undefined> {
  return Object.fromEntries([
    ...COUNTS.map(({ name }, at) => [name, counts[at]]),
    ...MONEY.map(({ name }, at) => [name, money[at]]),
  ]);
}

describe('rollUp', () => {
  it('sums events of the same user, model, provider and quarter of an hour, and quarters to UTC days', () => {
    const { quarters, days } = rollUp([
      event({ at: '2026-11-20T00:00:00.000Z' }),
      event({ at: '2026-11-20T00:59:59.999Z', requests: 2 }),
      event({ at: '2026-11-20T23:00:00.000Z' }),
      event({ at: '2026-11-19T23:59:59.999Z' }),
    ]);
    expect(quarters.map(row => [new Date(row.start).toISOString(), figures(row).requests])).toEqual([
      ['2026-11-19T23:45:00.000Z', 1],
      ['2026-11-20T00:00:00.000Z', 1],
      ['2026-11-20T00:45:00.000Z', 2],
      ['2026-11-20T23:00:00.000Z', 1],
    ]);
    expect(
      days.map(row => [new Date(row.start).toISOString(), figures(row).requests, figures(row).picodollars]),
    ).toEqual([
      ['2026-11-19T00:00:00.000Z', 1, 7n],
      ['2026-11-20T00:00:00.000Z', 4, 21n],
    ]);
    expect(days.map(figures)[1]).toMatchObject({
      inputTokens: 3,
      outputTokens: 6,
      cacheReadTokens: 9,
      cacheWriteTokens: 12,
      reasoningTokens: 15,
    });
  });

  it('sums quarters, hours and days over all users and tokens', () => {
    const one = { id: 'a1', sharedId: 's', notes: [] };
    const { totals } = rollUp([
      event({ at: '2026-11-20T09:00:00Z', attribution: one }),
      event({ at: '2026-11-20T09:14:59Z', userId: 'u2', attribution: { ...one, id: 'a2' } }),
      event({ at: '2026-11-20T09:15:00Z', userId: 'u2' }),
    ]);
    expect(
      totals.map(row => [row.minutes, new Date(row.start).toISOString().slice(11, 16), figures(row).requests]),
    ).toEqual([
      [15, '09:00', 2],
      [15, '09:15', 1],
      [60, '09:00', 3],
      [1_440, '00:00', 3],
    ]);
    expect(new Set(totals.map(row => row.userId + row.attributionId))).toEqual(new Set(['s']));
  });

  it('counts the requests of an event without a price as unpriced, and a free one as priced', () => {
    const unknown = { picodollars: null, source: null, version: null };
    const free = { picodollars: 0n, source: 'test', version: null };
    const at = '2026-11-20T12:00:00Z';
    const { days } = rollUp([event({ at, cost: unknown, requests: 5 }), event({ at, cost: free, requests: 3 })]);
    expect(days.map(figures)).toMatchObject([{ requests: 8, unpricedRequests: 5, picodollars: 0n }]);
  });

  it('lists rows in the same order whatever the order of the events', () => {
    const at = '2026-11-20T12:00:00Z';
    const events = ['u3', 'u1', 'u2'].flatMap(userId => ['b', 'a'].map(model => event({ at, userId, model })));
    const keys = (list: readonly PricedEvent[]) => rollUp(list).quarters.map(row => row.userId + row.model);
    expect(keys(events)).toEqual(['u1a', 'u1b', 'u2a', 'u2b', 'u3a', 'u3b']);
    expect(keys(events.toReversed())).toEqual(keys(events));
  });
});
