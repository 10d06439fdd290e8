import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BUILT_IN_REGISTRY, POLICY_ACTIONS, type DecidablePolicy } from '../decide/index.js';
import { rowOf } from '../decisions/record-entry.js';
import { judge, type Judgement } from '../decisions/judge.js';
import { PolicyPresenter } from '../decide/policy-presenter.js';
import { snapshotOf, type PolicySnapshot } from '../policies/policy-snapshot.js';
import type { PolicyOptions } from '../policy.options.js';
import { pieceOf } from '../testing/recorded-piece.js';
import { Comparison, type AskedRequest } from './comparison.js';
import { JudgedRequests } from './judged-requests.js';
import { readRequest } from './recorded-request.js';

const text = fc.constantFrom('a', 'ab', 'A', 'b', '1', '__proto__', 'constructor', 'x@A', 'x@b');
const number = fc.constantFrom(0, 1, 1.5, 1e21, 1e-7);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const tests = fc.oneof(
  fc.record({ in: fc.array(text, { maxLength: 3 }) }),
  fc.record({ not_in: fc.array(text, { maxLength: 3 }) }),
  fc.record({ eq: scalar }),
  fc.record({ not_eq: scalar, starts_with: text }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ gte: number }),
  // Conditions with an operator that no longer exists.
  fc.record({ near: fc.constant('Berlin') }),
);
const FIXED = ['department', 'role', 'status', 'email', 'email_domain', 'name', 'user_id', 'provider', 'device_status'];
const KEYS = ['level', '__proto__', 'constructor', 'k'];
const policy = fc
  .record({
    model: fc.option(fc.constantFrom('a', 'a*', '*b')),
    action: fc.constantFrom(...POLICY_ACTIONS),
    conditions: fc.uniqueArray(fc.tuple(fc.constantFrom(...FIXED, ...KEYS.map(key => `attributes.${key}`)), tests), {
      maxLength: 2,
      selector: ([name]) => name,
    }),
    enabled: fc.constantFrom(true, true, true, false),
  })
  .map(({ model, action, conditions, enabled }) => {
    return { model, action, enabled, conditions: Object.fromEntries(conditions), name: 'p', version: 1 };
  });
const attributes = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), scalar), { maxLength: 3 })
  .map((entries): Record<string, string | number | boolean | null> => Object.fromEntries(entries));
const user = fc.record({
  id: fc.constantFrom('A', 'a', 'b'),
  email: fc.constantFrom('x@A', 'y@b'),
  name: text,
  department: fc.option(text),
  role: text,
  status: fc.constantFrom('active', 'active', 'active', 'suspended', 'inactive', 'on leave') as fc.Arbitrary<'active'>,
  attributes,
});
const asked = fc.record({
  user: fc.option(user, { nil: undefined }),
  deviceStatus: fc.constantFrom(undefined, 'active' as const, 'revoked' as const, 'unknown' as const),
  input: fc.record(
    {
      user_id: fc.constantFrom('A', 'a'),
      user_email: fc.constantFrom('x@A', 'y@b'),
      model: fc.constantFrom('a', 'ab', 'b'),
      provider: text,
      attributes,
    },
    { requiredKeys: ['model', 'provider'] },
  ),
});
const options = fc.record({
  unknownUser: fc.constantFrom('block' as const, 'evaluate' as const),
  defaultAction: fc.constantFrom('allow' as const, 'alert' as const),
});

type Asked = AskedRequest;

function live(
  snapshot: PolicySnapshot,
  { user, input, deviceStatus }: Asked,
  options: PolicyOptions,
): Judgement | undefined {
  try {
    return judge(snapshot, user, input, options, deviceStatus);
  } catch {
    return undefined;
  }
}

/** The fields of a decision's record that the simulation reads, as text. */
function recorded(one: Asked, options: PolicyOptions): string {
  const everything = snapshotOf([], { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' });
  const judgement = judge(everything, one.user, one.input, options, one.deviceStatus);
  const { action, reason } = judgement;
  const decision = { id: 'd', action, allowed: true, reason, policies: [], evaluated_at: '' };
  const { user_id = null, user_email = null, provider, model, attributes } = rowOf(one.input, judgement, decision);
  return JSON.stringify([user_id, user_email, provider, model, 1, attributes]);
}

function answerOf(judgement: Judgement | undefined): object | undefined {
  if (!judgement) return undefined;
  const { action, reason, matches } = judgement;
  // The values in the form in which JSON stores them.
  return {
    action,
    reason,
    policies: JSON.parse(JSON.stringify(new PolicyPresenter().present(matches).policies)) as unknown,
  };
}

describe('a recorded decision', () => {
  it('has the same result as the live engine gives for its request, with any draft', () => {
    let changes = 0;
    let unavailable = 0;
    fc.assert(
      fc.property(
        fc.array(policy, { maxLength: 12 }),
        policy,
        fc.nat(),
        fc.array(asked, { minLength: 1, maxLength: 8 }),
        options,
        (list, draft, replaced, questions, options) => {
          const policies = list.map((fields, at): DecidablePolicy => ({ ...fields, id: `p${at}` }));
          const proposed: DecidablePolicy = { ...draft, id: `p${replaced % (policies.length + 1)}` };
          const enabled = policies.filter(one => one.enabled);
          const compile = { operators: BUILT_IN_REGISTRY, defaultAction: options.defaultAction };
          const comparison = new Comparison(enabled, proposed, compile, options);
          const changed = [...enabled.filter(({ id }) => id !== proposed.id), proposed];
          const [before, after] = [snapshotOf(enabled, compile), snapshotOf(changed, compile)];
          // The cache is small, so that some requests must be evaluated a second time.
          const requests = new JudgedRequests(comparison, 1);
          for (const one of [...questions, ...questions] as Asked[]) {
            const text = recorded(one, options);
            const again = comparison.judge(readRequest(text));
            const [was, would] = [live(before, one, options), live(after, one, options)];
            expect(answerOf(again.before)).toEqual(answerOf(was));
            expect(answerOf(again.after)).toEqual(answerOf(would));
            const piece = pieceOf([text]);
            const { outcome: compared } = requests.find(piece, 0) ?? requests.judge(piece, 0, text);
            expect(compared).toEqual({
              before: was?.action ?? 'unavailable',
              after: would?.action ?? 'unavailable',
              isMatched: would?.matches.some(match => match.policy.id === proposed.id) ?? false,
            });
            if (compared.before !== compared.after) changes++;
            if (compared.after === 'unavailable') unavailable++;
          }
        },
      ),
      { numRuns: 500 },
    );
    // Checks that the random cases contained enough changes.
    expect(changes).toBeGreaterThan(100);
    expect(unavailable).toBeGreaterThan(50);
  });
});
