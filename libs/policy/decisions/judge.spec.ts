import { describe, expect, it } from '@jest/globals';
import type { DirectoryUser } from '#core';
import { BUILT_IN_REGISTRY, POLICY_ACTIONS, type DecidablePolicy } from '../decide/index.js';
import { snapshotOf } from '../policies/policy-snapshot.js';
import { judge } from './judge.js';

const base = { model: null, enabled: true, version: 1 } as const;
const input = { model: 'm', provider: 'p' };
const user: DirectoryUser = {
  id: 'u',
  email: 'ada@example.com',
  name: 'Ada',
  department: 'Sales',
  role: 'member',
  status: 'active',
  attributes: { clearance: null },
};

function snapshot(...policies: DecidablePolicy[]) {
  return snapshotOf(policies, { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' });
}

describe('a judgment', () => {
  it('contains the violations of block and alert policies', () => {
    const all = POLICY_ACTIONS.map(action => Object.assign({ id: action, name: action, action }, base));
    const { violations, matches } = judge(snapshot(...all), user, input, {});
    expect(matches.map(match => match.policy.id)).toEqual(['block', 'require_approval', 'alert', 'allow']);
    expect(violations.map(({ policy, severity }) => [policy.id, severity])).toEqual([
      ['block', 'high'],
      ['alert', 'medium'],
    ]);
  });

  it('blocks every user whose status in the directory is not active', () => {
    const of = (status: string) => judge(snapshot(), { ...user, status: status as 'active' }, input, {});
    expect(of('suspended')).toMatchObject({ action: 'block', reason: 'user_suspended' });
    expect(of('inactive')).toMatchObject({ action: 'block', reason: 'user_inactive' });
    expect(of('on leave')).toMatchObject({ action: 'block', reason: 'user_inactive' });
  });

  it('blocks suspended users even if unknown users are evaluated', () => {
    expect(judge(snapshot(), { ...user, status: 'suspended' }, input, { unknownUser: 'evaluate' }).action).toBe(
      'block',
    );
  });

  it('treats a null attribute of the directory as missing, whatever the request says', () => {
    const policies = snapshot({
      ...base,
      id: 'p',
      name: 'p',
      action: 'block',
      conditions: { 'attributes.clearance': { not_in: ['high'] } },
    });
    expect(judge(policies, user, { ...input, attributes: { clearance: 'high' } }, {}).action).toBe('block');
  });
});
