import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_REGISTRY, type DecidablePolicy, type PolicyAction } from '../decide/index.js';
import { judge, withGrants, type Judgement } from './judge.js';
import { snapshotOf } from '../policies/policy-snapshot.js';
import { GrantIndex, type Grant } from '../decide/grants.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const LATER = new Date(NOW.getTime() + 1);
const input = { user_email: 'Ada@Example.com', model: 'm', provider: 'p' };

function policy(id: string, action: PolicyAction): DecidablePolicy {
  return { id, name: id, action, model: null, enabled: true, version: 1 };
}

function judged(...policies: DecidablePolicy[]): Judgement {
  const snapshot = snapshotOf(policies, { operators: BUILT_IN_REGISTRY, defaultAction: 'require_approval' });
  return judge(snapshot, undefined, input, { unknownUser: 'evaluate' });
}

const grant = (policyId: string, fields: Partial<Grant> = {}): Grant => ({
  policyId,
  userId: 'ada@example.com',
  model: 'm',
  until: LATER,
  ...fields,
});

function decided(policies: DecidablePolicy[], ...grants: Grant[]): unknown[] {
  const { action, reason, approvalPolicy } = withGrants(judged(...policies), new GrantIndex(grants), 'm', NOW);
  return [action, reason, approvalPolicy?.id];
}

describe('a grant in a decision', () => {
  const asking = policy('a', 'require_approval');
  const other = policy('b', 'require_approval');

  it.each<[string, DecidablePolicy[], Grant[], unknown[]]>([
    ['is required: without one, the request waits', [asking], [], ['require_approval', 'policy', 'a']],
    ['allows the request', [asking], [grant('a')], ['allow', 'approval_granted', undefined]],
    [
      'is required from each of two policies: with one, the request waits for the other',
      [asking, other],
      [grant('a')],
      ['require_approval', 'policy', 'b'],
    ],
    [
      'is required from each of two policies: without any, the request waits for the first',
      [asking, other],
      [],
      ['require_approval', 'policy', 'a'],
    ],
    [
      'allows the request with a grant of the other policy',
      [asking, other],
      [grant('b'), grant('a')],
      ['allow', 'approval_granted', undefined],
    ],
    [
      'allows the request with an alert if an alert policy matches',
      [asking, policy('c', 'alert')],
      [grant('a')],
      ['alert', 'approval_granted', undefined],
    ],
    [
      'is not required if a block policy matches',
      [asking, policy('c', 'block')],
      [grant('a')],
      ['block', 'policy', undefined],
    ],
    ['has no effect on another model', [asking], [grant('a', { model: 'M' })], ['require_approval', 'policy', 'a']],
    [
      'has no effect on another person',
      [asking],
      [grant('a', { userId: 'bob@example.com' })],
      ['require_approval', 'policy', 'a'],
    ],
    ['has no effect on another policy', [asking], [grant('b')], ['require_approval', 'policy', 'a']],
    ['has no effect from its end on', [asking], [grant('a', { until: NOW })], ['require_approval', 'policy', 'a']],
    [
      'has its effect beside an ended one',
      [asking],
      [grant('a'), grant('a', { until: NOW })],
      ['allow', 'approval_granted', undefined],
    ],
  ])('%s', (_what, policies, grants, expected) => {
    expect(decided(policies, ...grants)).toEqual(expected);
  });

  it('has no effect if no policy requires an approval, only the default action', () => {
    expect(decided([])).toEqual(['require_approval', 'no_policy_matched', undefined]);
  });

  it('keeps the violations of an alert policy', () => {
    const judgement = judged(asking, policy('c', 'alert'));
    for (const grants of [[], [grant('a')]]) {
      const { violations } = withGrants(judgement, new GrantIndex(grants), 'm', NOW);
      expect(violations.map(violation => violation.policy.id)).toEqual(['c']);
    }
  });

  it('does not depend on the content of names', () => {
    const book = new GrantIndex([
      grant('p', { userId: 'a","b', model: 'c' }),
      grant('p', { userId: 'a b', model: 'c' }),
    ]);
    expect(book.holds('p', 'a', 'b","c', NOW)).toBe(false);
    expect(book.holds('p', 'a', 'b c', NOW)).toBe(false);
  });
});
