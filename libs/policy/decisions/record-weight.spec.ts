import { describe, expect, it } from '@jest/globals';
import type { DecisionRow } from './decision-row.js';
import type { MatchedPolicy } from './decision.js';
import { weightOf } from './record-weight.js';

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

describe('the weight of a record', () => {
  it('grows with the operands that it shows', () => {
    const small = weightOf({ ...row, policies: [policy('allow', [])] }, 0);
    const large = weightOf({ ...row, policies: [policy('allow', texts)] }, 0);
    expect(large - small).toBe(OPERAND_BYTES - 2);
  });

  it('counts a violated policy once more for its incident and once for its event', () => {
    const of = (action: MatchedPolicy['action']) => weightOf({ ...row, policies: [policy(action, texts)] }, 1);
    expect(of('block') - of('allow')).toBeGreaterThan(2 * OPERAND_BYTES);
    expect(of('alert')).toBe(of('block'));
  });

  it('grows with the attributes of the person, and with those of the request that a key keeps', () => {
    const attributes = { note: 'x'.repeat(1_000) };
    const person = weightOf({ ...row, attributes: { attributes } }, 0);
    expect(person - weightOf(row, 0)).toBeGreaterThan(1_000);
    const request = { model: 'm', provider: 'p', attributes };
    expect(weightOf({ ...row, attributes: { attributes }, request }, 0) - person).toBeGreaterThan(1_000);
  });
});
