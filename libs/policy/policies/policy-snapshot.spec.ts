import { describe, expect, it } from '@jest/globals';
import {
  BUILT_IN_REGISTRY,
  decide,
  PolicyNotCompilableError,
  type DecidablePolicy,
  type PolicyAction,
} from '../decide/index.js';
import { refuseBroken, snapshotOf } from './policy-snapshot.js';

const options = { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' } as const;
const gone = { department: { in: ['Sales'] }, role: { taken_away: 1 } };

function policy(id: string, action: PolicyAction, details: Partial<DecidablePolicy> = {}): DecidablePolicy {
  return { id, name: `policy ${id}`, model: null, action, enabled: true, version: 1, ...details };
}

function actions(policies: DecidablePolicy[], department = 'Sales'): PolicyAction[] {
  const snapshot = snapshotOf(policies, options);
  const verdict = decide(snapshot.compiled, { department }, { model: 'm' });
  return refuseBroken(snapshot, verdict.matches).map(match => match.policy.action);
}

describe('policies of which one cannot be evaluated any more', () => {
  it.each(['block', 'require_approval', 'alert'] as const)(
    'refuse requests that a broken %s policy may concern, and name it',
    action => {
      const decideIt = () => actions([policy('a', 'allow'), policy('b', action, { conditions: gone })]);
      expect(decideIt).toThrow(PolicyNotCompilableError);
      expect(decideIt).toThrow(/policy b .*role\.taken_away/);
    },
  );

  it('still decide requests that its other conditions or its model exclude', () => {
    expect(actions([policy('a', 'alert'), policy('b', 'block', { conditions: gone })], 'Legal')).toEqual(['alert']);
    expect(actions([policy('a', 'alert'), policy('b', 'block', { conditions: gone, model: 'other' })])).toEqual([
      'alert',
    ]);
  });

  it('block if a valid policy blocks anyway', () => {
    expect(actions([policy('a', 'block'), policy('b', 'block', { conditions: gone })])).toEqual(['block']);
  });

  it('ignore a broken allow policy, which could only have allowed more', () => {
    expect(actions([policy('a', 'alert'), policy('b', 'allow', { conditions: gone })])).toEqual(['alert']);
  });

  it('ignore a broken disabled policy', () => {
    expect(actions([policy('a', 'alert'), policy('b', 'block', { conditions: gone, enabled: false })])).toEqual([
      'alert',
    ]);
  });
});
