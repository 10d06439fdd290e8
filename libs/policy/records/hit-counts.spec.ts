import { describe, expect, it } from '@jest/globals';
import { row } from '../testing/recorder-fakes.js';
import type { DecisionRow } from './decision-row.js';
import { hitCountsOf } from './hit-counts.js';

const matched = (id: string) => ({ id, name: id, action: 'block', version: 1, matched_conditions: [] }) as const;
const decided = (at: string, policies: readonly string[], more: Partial<DecisionRow> = {}): DecisionRow => ({
  ...row(at),
  occurred_at: `2026-11-20T${at}Z`,
  policies: policies.map(matched),
  ...more,
});

describe('hitCountsOf', () => {
  it('adds up the hits of a policy per quarter of an hour, in the order of the key', () => {
    const rows = [
      decided('12:14:59.999', ['b', 'a'], { allowed: false }),
      decided('12:15:00.000', ['a']),
      decided('12:00:00.000', ['a']),
      decided('12:01:00.000', []),
    ];
    expect(hitCountsOf(rows).map(({ quarter, ...count }) => [new Date(quarter).toISOString(), count])).toEqual([
      [
        '2026-11-20T12:00:00.000Z',
        { policyId: 'a', hits: 2, decided: 1, refused: 1, lastAt: '2026-11-20T12:14:59.999Z' },
      ],
      [
        '2026-11-20T12:15:00.000Z',
        { policyId: 'a', hits: 1, decided: 1, refused: 0, lastAt: '2026-11-20T12:15:00.000Z' },
      ],
      [
        '2026-11-20T12:00:00.000Z',
        { policyId: 'b', hits: 1, decided: 1, refused: 1, lastAt: '2026-11-20T12:14:59.999Z' },
      ],
    ]);
  });

  it('counts a sampled record as often as the decisions that it represents', () => {
    const [count] = hitCountsOf([
      decided('12:00:00.000', ['a'], { sample_rate: 0.1 }),
      decided('12:00:00.000', ['a'], { sample_rate: 1 }),
    ]);
    expect(count).toMatchObject({ hits: 11, decided: 11, refused: 0 });
  });
});
