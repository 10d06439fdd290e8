import { describe, expect, it } from '@jest/globals';
import {
  compilePolicies,
  decide,
  PolicyNotCompilableError,
  type DecidablePolicy,
  type DecisionSubject,
  type PolicyAction,
} from './index.js';

const request = { model: 'gpt-5', provider: 'openai' };

function policy(id: string, fields: Partial<DecidablePolicy> = {}): DecidablePolicy {
  return { id, name: `Policy ${id}`, model: null, action: 'allow', enabled: true, version: 1, ...fields };
}

function verdict(policies: DecidablePolicy[], subject: DecisionSubject = {}, asked = request) {
  return decide(compilePolicies(policies), subject, asked);
}

const idsOf = (found: readonly { policy: DecidablePolicy }[]) => found.map(({ policy }) => policy.id);

describe('decide', () => {
  it.each<[PolicyAction[], PolicyAction]>([
    [['allow'], 'allow'],
    [['allow', 'alert'], 'alert'],
    [['alert', 'require_approval', 'allow'], 'require_approval'],
    [['require_approval', 'allow', 'block', 'alert'], 'block'],
  ])('with %j applies %s, whatever the order of the policies', (actions, winner) => {
    const policies = actions.map(action => policy(action, { action }));
    expect(verdict(policies).action).toBe(winner);
    expect(verdict(policies.toReversed()).action).toBe(winner);
    expect(verdict(policies)).toMatchObject({ reason: 'policy' });
  });

  it('applies the default action if nothing matches', () => {
    const policies = [policy('a', { action: 'block', model: 'other' })];
    expect(verdict(policies)).toMatchObject({
      action: 'allow',
      reason: 'no_policy_matched',
      matches: [],
      violations: [],
    });
    expect(decide(compilePolicies(policies, { defaultAction: 'block' }), {}, request).action).toBe('block');
    expect(decide(compilePolicies([], { defaultAction: 'block' }), {}, request).action).toBe('block');
  });

  it('reports every match by precedence, then age, then id, with a policy without age last', () => {
    const createdAt = new Date('2026-01-01');
    const policies = [
      policy('allow'),
      policy('block-b', { action: 'block', createdAt }),
      policy('block-undated', { action: 'block' }),
      policy('block-old', { action: 'block', createdAt: new Date('2025-01-01') }),
      policy('alert', { action: 'alert' }),
      policy('block-a', { action: 'block', createdAt }),
    ];
    const order = ['block-old', 'block-a', 'block-b', 'block-undated', 'alert', 'allow'];
    expect(idsOf(verdict(policies).matches)).toEqual(order);
    expect(idsOf(verdict(policies.toReversed()).matches)).toEqual(order);
  });

  it('reports hundreds of matches in the same order as a few', () => {
    const ids = Array.from({ length: 300 }, (_, n) => String(n).padStart(3, '0'));
    const policies = ids.map(id => policy(id, { conditions: { role: { not_in: [`role-${Number(id) % 7}`] } } }));
    const expected = ids.filter(id => Number(id) % 7 !== 3);
    expect(idsOf(verdict(policies.toReversed(), { role: 'role-3' }).matches)).toEqual(expected);
  });

  it('reports a violation for every matching block and alert policy, high and medium unless the policy says otherwise', () => {
    const found = verdict([
      policy('1', { action: 'block' }),
      policy('2', { action: 'block', severity: 'critical' }),
      policy('3', { action: 'alert' }),
      policy('4', { action: 'alert', severity: 'low' }),
      policy('5', { action: 'require_approval', severity: 'high' }),
      policy('6', { action: 'allow', severity: 'high' }),
    ]);
    expect(found.violations.map(({ policy, severity }) => [policy.id, severity])).toEqual([
      ['1', 'high'],
      ['2', 'critical'],
      ['3', 'medium'],
      ['4', 'low'],
    ]);
    expect(found.matches).toHaveLength(6);
  });

  it('ignores disabled policies, even invalid ones', () => {
    const conditions = { gone: { eq: 1 } };
    expect(verdict([policy('a', { action: 'block', enabled: false, conditions })]).action).toBe('allow');
  });

  it('targets one model, a pattern, or all models', () => {
    const policies = [
      policy('1-exact', { model: 'gpt-5' }),
      policy('2-pattern', { model: 'gpt-*' }),
      policy('3-star', { model: '*' }),
      policy('4-all'),
    ];
    const matching = (model: string) => idsOf(verdict(policies, {}, { ...request, model }).matches);
    expect(matching('gpt-5')).toEqual(['1-exact', '2-pattern', '3-star', '4-all']);
    expect(matching('gpt-4')).toEqual(['2-pattern', '3-star', '4-all']);
    expect(matching('GPT-5')).toEqual(['3-star', '4-all']);
    expect(matching('')).toEqual(['3-star', '4-all']);
  });

  it('requires all attributes of the conditions to match', () => {
    const conditions = { department: { in: ['Finance'] }, role: { not_in: ['admin'] }, 'attributes.level': { gte: 3 } };
    const actionFor = (subject: DecisionSubject) =>
      verdict([policy('a', { action: 'block', conditions })], subject).action;
    expect(actionFor({ department: 'Finance', role: 'member', attributes: { level: 3 } })).toBe('block');
    expect(actionFor({ department: 'Finance', attributes: { level: 3 } })).toBe('block');
    expect(actionFor({ department: 'Sales', role: 'member', attributes: { level: 3 } })).toBe('allow');
    expect(actionFor({ department: 'Finance', role: 'admin', attributes: { level: 3 } })).toBe('allow');
    expect(actionFor({ department: 'Finance', role: 'member', attributes: { level: 2 } })).toBe('allow');
    expect(actionFor({ department: 'Finance', role: 'member' })).toBe('allow');
  });

  it('matches every user if there are no conditions', () => {
    for (const conditions of [undefined, null, {}]) {
      expect(verdict([policy('a', { action: 'block', conditions })]).action).toBe('block');
    }
  });

  it('reads each attribute from the subject or the request', () => {
    const subject = {
      id: 'u1',
      email: 'Ada@Math.Example',
      name: 'Ada',
      department: 'R&D',
      role: 'member',
      status: 'active',
      attributes: { 'a.b': 1 },
    };
    const expected = {
      user_id: 'u1',
      email: 'Ada@Math.Example',
      email_domain: 'Math.Example',
      name: 'Ada',
      department: 'R&D',
      role: 'member',
      status: 'active',
      provider: 'openai',
      device_status: 'enrolled',
      'attributes.a.b': 1,
    };
    const conditions = Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, { eq: value }]));
    const found = verdict([policy('a', { conditions })], subject, { ...request, deviceStatus: 'enrolled' } as never);
    expect(found.matches[0]?.matchedConditions.map(({ attribute, value }) => [attribute, value])).toEqual(
      Object.entries(expected),
    );
  });

  it('compares email addresses and their domains without case, everything else with case', () => {
    const hits = (conditions: DecidablePolicy['conditions'], subject: DecisionSubject) =>
      verdict([policy('a', { conditions })], subject).matches.length === 1;
    const ada = { email: 'ADA@math.example', department: 'Finance' };
    expect(hits({ email: { eq: 'ada@MATH.example' } }, ada)).toBe(true);
    expect(hits({ email: { ends_with: '@Math.Example' } }, ada)).toBe(true);
    expect(hits({ email: { not_in: ['Ada@Math.Example'] } }, ada)).toBe(false);
    expect(hits({ email_domain: { in: ['MATH.EXAMPLE'] } }, ada)).toBe(true);
    expect(hits({ department: { eq: 'finance' } }, ada)).toBe(false);
  });

  it('uses the text after the last @ as the domain, and an address without @ has none', () => {
    const domain = (email: string) =>
      verdict([policy('a', { conditions: { email_domain: { eq: 'b.example' } } })], { email }).matches.length;
    expect([domain('"x@y"@b.example'), domain('b.example'), domain('')]).toEqual([1, 0, 0]);
  });

  it('never uses an inherited property as an attribute', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of names) {
      const policies = [policy('a', { conditions: { [`attributes.${name}`]: { exists: true } } })];
      expect(verdict(policies, { attributes: {} }).matches).toHaveLength(0);
      const own: Record<string, unknown> = JSON.parse(`{"${name}": "x"}`);
      expect(verdict(policies, { attributes: own }).matches).toHaveLength(1);
    }
    const inArrays = policy('b', { conditions: { department: { in: names } } });
    expect(names.map(department => verdict([inArrays], { department }).matches.length)).toEqual([1, 1, 1, 1]);
    expect(verdict([policy('c', { model: 'constructor' })]).matches).toHaveLength(0);
  });

  it('explains a match by its conditions and the matched values', () => {
    const conditions = { department: { not_in: ['HR'] }, 'attributes.level': { gte: 1, lt: 9 } };
    const [match] = verdict([policy('a', { conditions })], { attributes: { level: 4 } }).matches;
    expect(match?.matchedConditions).toEqual([
      { attribute: 'department', operator: 'not_in', operand: ['HR'], value: null },
      { attribute: 'attributes.level', operator: 'gte', operand: 1, value: 4 },
      { attribute: 'attributes.level', operator: 'lt', operand: 9, value: 4 },
    ]);
  });

  it('works with more attributes than the index holds', () => {
    const policies = Array.from({ length: 40 }, (_, n) =>
      policy(String(n).padStart(2, '0'), { action: 'alert', conditions: { [`attributes.k${n}`]: { eq: n } } }),
    );
    for (const n of [0, 17, 39]) {
      const found = verdict(policies, { attributes: { [`k${n}`]: n, k1: 'other' } });
      expect(found.action).toBe('alert');
      expect(idsOf(found.matches)).toEqual([String(n).padStart(2, '0')]);
    }
    expect(verdict(policies, {}).action).toBe('allow');
  });

  it('gives correct results after more distinct values than it caches', () => {
    const compiled = compilePolicies([policy('a', { action: 'block', conditions: { name: { ends_with: '7' } } })]);
    const actionOf = (n: number) => decide(compiled, { name: `user ${n}` }, request).action;
    for (let n = 0; n < 20_000; n++) expect(actionOf(n) === 'block').toBe(n % 10 === 7);
    expect([actionOf(7), actionOf(8)]).toEqual(['block', 'allow']);
  });

  it('refuses to skip a policy that it cannot evaluate, and names it', () => {
    const broken = policy('p1', { action: 'block', conditions: { department: { like: 'F%' } } });
    expect(() => compilePolicies([policy('ok'), broken])).toThrow(PolicyNotCompilableError);
    expect(() => compilePolicies([broken])).toThrow(
      /^policy p1 \(Policy p1\) cannot be evaluated: conditions\.department\.like: unknown operator .*; register the operator or change the policy$/,
    );
  });
});
