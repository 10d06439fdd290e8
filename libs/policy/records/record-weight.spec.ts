import { describe, expect, it } from '@jest/globals';
import { PolicyMatch, type PolicyAction } from '../decide/index.js';
import type { DecisionRow } from './decision-row.js';
import { PolicyPresenter } from '../decide/policy-presenter.js';
import { PART_WEIGHT } from '../decide/policy-weight.js';
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

const texts = Array.from({ length: 100 }, (_, at) => String(at).padStart(15, '0'));
const OPERAND_BYTES = JSON.stringify(texts).length;
const NO_POLICIES = { held: 0, written: 0, told: 0 };

const match = (operand: unknown, action: PolicyAction = 'block', name = 'Sales') => {
  const conditions = { department: { not_in: operand } };
  const policy = { id: 'p', name: 'p', model: null, action, conditions, enabled: true, version: 1 } as const;
  return new PolicyMatch(policy, { department: name }, { model: 'm' });
};

/** The weight of a record with one matching policy. */
const weighed = (of: PolicyMatch, violations = 0, presenter = new PolicyPresenter()) =>
  weightOf(row, violations, presenter.present([of]).weight);

describe('the weight of a record', () => {
  it('contains the operands in the statement, but not in memory, where the policy already holds them', () => {
    const small = weighed(match([], 'allow'));
    const large = weighed(match(texts, 'allow'));
    expect(large.written - small.written).toBe(OPERAND_BYTES - 2);
    expect(large.held).toBe(small.held);
  });

  it('counts a violated policy once more for its incident and once for its event', () => {
    const of = (action: PolicyAction) => weighed(match(texts, action), 1).written;
    expect(of('block') - of('allow')).toBeGreaterThan(2 * OPERAND_BYTES);
    expect(of('alert')).toBe(of('block'));
  });

  it('grows with the attributes of the user, and with those of the request for an idempotency key', () => {
    const attributes = { note: 'x'.repeat(1_000) };
    const person = weightOf({ ...row, attributes: { attributes } }, 0, NO_POLICIES);
    const nobody = weightOf(row, 0, NO_POLICIES);
    const request = { model: 'm', provider: 'p', attributes };
    const both = weightOf({ ...row, attributes: { attributes }, request }, 0, NO_POLICIES);
    for (const kind of ['held', 'written'] as const) {
      expect(person[kind] - nobody[kind]).toBeGreaterThan(1_000);
      expect(both[kind] - person[kind]).toBeGreaterThan(1_000);
    }
  });

  it('counts data that decisions share once in memory, and in every row', () => {
    const presenter = new PolicyPresenter();
    const { policy } = match(texts);
    const [first, second, other] = ['Sales', 'Sales', 'Legal'].map(department =>
      weighed(new PolicyMatch(policy, { department }, { model: 'm' }), 0, presenter),
    );
    expect(first!.held - second!.held).toBeGreaterThan(PART_WEIGHT);
    expect(other!.held).toBe(first!.held);
    expect(second!.written).toBe(first!.written);
  });
});
