import { describe, expect, it } from '@jest/globals';
import { PolicyMatch } from '../decide/index.js';
import type { DecisionRow } from './decision-row.js';
import type { MatchedPolicy } from './decision.js';
import { presentMatches } from '../decisions/present-matches.js';
import { PART_WEIGHT, weightOf } from './record-weight.js';

const row: DecisionRow = {
  id: '1',
  occurred_at: '2026-11-20T12:00:00.000Z',
  provider: 'p',
  model: 'm',
  action: 'allow',
  allowed: true,
  reason: 'policy',
  policies: [],
  attributes: {},
  sample_rate: 1,
};

function policy(action: MatchedPolicy['action'], operand: unknown): MatchedPolicy {
  const condition = { attribute: 'department', operator: 'not_in', operand, value: 'Sales' };
  return { id: 'p', name: 'p', action, version: 1, matched_conditions: [condition] };
}

const texts = Array.from({ length: 100 }, (_, at) => String(at).padStart(15, '0'));
const OPERAND_BYTES = JSON.stringify(texts).length;

const match = (department: string, operand: unknown) => {
  const conditions = { department: { not_in: operand } };
  const policy = { id: 'p', name: 'p', model: null, action: 'block', conditions, enabled: true, version: 1 } as const;
  return (name = department) => new PolicyMatch(policy, { department: name }, { model: 'm' });
};

describe('the weight of a record', () => {
  it('grows with the operands that it shows, where it is written; in memory they are the policy’s', () => {
    const small = weightOf({ ...row, policies: [policy('allow', [])] }, 0);
    const large = weightOf({ ...row, policies: [policy('allow', texts)] }, 0);
    expect(large.written - small.written).toBe(OPERAND_BYTES - 2);
    expect(large.held).toBe(small.held);
  });

  it('counts a violated policy once more for its incident and once for its event', () => {
    const of = (action: MatchedPolicy['action']) => weightOf({ ...row, policies: [policy(action, texts)] }, 1).written;
    expect(of('block') - of('allow')).toBeGreaterThan(2 * OPERAND_BYTES);
    expect(of('alert')).toBe(of('block'));
  });

  it('grows with the attributes of the person, and with those of the request that a key keeps', () => {
    const attributes = { note: 'x'.repeat(1_000) };
    const person = weightOf({ ...row, attributes: { attributes } }, 0);
    const nobody = weightOf(row, 0);
    const request = { model: 'm', provider: 'p', attributes };
    const both = weightOf({ ...row, attributes: { attributes }, request }, 0);
    for (const kind of ['held', 'written'] as const) {
      expect(person[kind] - nobody[kind]).toBeGreaterThan(1_000);
      expect(both[kind] - person[kind]).toBeGreaterThan(1_000);
    }
  });

  it('counts what decisions share once, and in every text', () => {
    const again = match('Sales', texts);
    const [first, second, other] = [again(), again(), again('Legal')].map(one =>
      weightOf({ ...row, policies: presentMatches([one]) }, 0),
    );
    expect(first!.held - second!.held).toBeGreaterThan(PART_WEIGHT);
    expect(other!.held).toBe(first!.held);
    expect(second!.written).toBe(first!.written);
    expect(weightOf({ ...row, policies: [policy('block', texts)] }, 0)).toEqual(first);
  });
});
