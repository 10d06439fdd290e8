import { describe, expect, it } from '@jest/globals';
import { keyOf, mergeOccurrences } from './merge-occurrences.js';
import type { Occurrence } from './occurrence.js';

function occurrence(fields: Partial<Occurrence> = {}): Occurrence {
  return {
    type: 'policy_violation',
    severity: 'medium',
    userId: 'ada',
    userEmail: null,
    policyId: 'p1',
    provider: 'openai',
    model: 'm',
    details: {},
    at: new Date('2026-11-20T13:00:00Z'),
    decisionId: 'd',
    action: 'alert',
    event: () => ({ type: 'ping', data: {} }),
    ...fields,
  };
}

const minutes = (count: number) => new Date(Date.parse('2026-11-20T13:00:00Z') + count * 60_000);

describe('occurrences', () => {
  it('belong to one incident if type, policy, user and model are the same, whatever the provider', () => {
    const same = [occurrence(), occurrence({ provider: 'azure', severity: 'high' }), occurrence({ userId: 'ADA' })];
    expect([...mergeOccurrences(same).values()]).toMatchObject([{ count: 3 }]);
    for (const fields of [
      { policyId: 'p2' },
      { userId: 'bob' },
      { model: 'n' },
      { policyId: null },
      { userId: null },
    ]) {
      expect(mergeOccurrences([occurrence(), occurrence(fields)]).size).toBe(2);
    }
  });

  it('belong to two incidents if their texts only look equal when joined', () => {
    const two = [occurrence({ userId: 'a","b', model: 'c' }), occurrence({ userId: 'a', model: 'b","c' })];
    expect(mergeOccurrences(two).size).toBe(2);
  });

  it('have the first and the last by time, and the highest severity, whatever their order', () => {
    const [first, last] = [occurrence({ at: minutes(1) }), occurrence({ at: minutes(9), severity: 'low' })];
    const worst = occurrence({ at: minutes(5), severity: 'critical' });
    expect([...mergeOccurrences([worst, last, first]).values()]).toEqual([
      { first, last, severity: 'critical', count: 3 },
    ]);
  });

  it('are processed in the order of their keys, so that two transactions never deadlock', () => {
    const some = ['c', 'a', 'b'].map(userId => occurrence({ userId }));
    expect([...mergeOccurrences(some).keys()]).toEqual(some.map(keyOf).sort());
  });
});
