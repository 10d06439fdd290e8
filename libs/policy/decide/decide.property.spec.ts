import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  BUILT_IN_REGISTRY,
  compilePolicies,
  decide,
  examine,
  POLICY_ACTIONS,
  type DecidablePolicy,
  type DecisionSubject,
} from './index.js';

// The values are few, so that conditions and subjects often match. They include names of Object.prototype.
const text = fc.constantFrom('', 'a', 'ab', 'abc', 'A', 'b', '1', '__proto__', 'constructor', 'x@a', 'X@A', 'x@b');
const number = fc.constantFrom(-1, 0, 1, 1.5, 2);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const tests = fc
  .record(
    {
      in: fc.array(text, { maxLength: 3 }),
      not_in: fc.array(text, { maxLength: 3 }),
      eq: scalar,
      not_eq: scalar,
      starts_with: text,
      ends_with: text,
      exists: fc.boolean(),
      gt: number,
      gte: number,
      lt: number,
      lte: number,
    },
    { requiredKeys: [] },
  )
  .filter(record => Object.keys(record).length > 0);
const FIXED = ['department', 'role', 'status', 'email', 'email_domain', 'name', 'user_id', 'provider', 'device_status'];
const KEYS = ['level', '__proto__', 'constructor', ...Array.from({ length: 12 }, (_, n) => `k${n}`)];
const attribute = fc.constantFrom(...FIXED, ...KEYS.map(key => `attributes.${key}`));
const policies = fc
  .array(
    fc.record({
      model: fc.option(fc.constantFrom('a', 'ab', 'a*', '*b', '*', 'a*b*', '*a*c')),
      action: fc.constantFrom(...POLICY_ACTIONS),
      conditions: fc.uniqueArray(fc.tuple(attribute, tests), { maxLength: 3, selector: ([name]) => name }),
      enabled: fc.constantFrom(true, true, true, false),
      createdAt: fc.option(fc.constantFrom(new Date(0), new Date(1))),
    }),
    { maxLength: 120 },
  )
  .map(list =>
    list.map((fields, n): DecidablePolicy => ({
      ...fields,
      id: `p${n}`,
      name: 'p',
      version: 1,
      conditions: Object.fromEntries(fields.conditions),
    })),
  );
const optionalText = fc.option(text, { nil: undefined });
const attributes = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.oneof(scalar, fc.constant(['a']), fc.constant({ a: 1 }))), {
    maxLength: 9,
  })
  .map(entries => Object.fromEntries(entries));
const asked = fc.record({
  subject: fc.record({
    id: optionalText,
    email: optionalText,
    name: optionalText,
    department: fc.option(text),
    role: optionalText,
    status: optionalText,
    attributes: fc.option(attributes),
  }),
  request: fc.record({
    model: fc.constantFrom('', 'a', 'b', 'ab', 'abb', 'abc', 'constructor'),
    provider: optionalText,
    deviceStatus: optionalText,
  }),
});
type Asked = { subject: DecisionSubject; request: { model: string; provider?: string; deviceStatus?: string } };

/** The rules of the engine, implemented in the simplest way. */
function holds(operator: string, operand: unknown, value: unknown): boolean {
  const missing = value === undefined || value === null;
  if (operator === 'exists') return operand === !missing;
  if (operator === 'not_in') return missing || !(operand as unknown[]).some(entry => entry === value);
  if (operator === 'not_eq') return missing || operand !== value;
  if (missing) return false;
  if (operator === 'in') return (operand as unknown[]).some(entry => entry === value);
  if (operator === 'eq') return operand === value;
  if (operator === 'starts_with') return typeof value === 'string' && value.startsWith(operand as string);
  if (operator === 'ends_with') return typeof value === 'string' && value.endsWith(operand as string);
  if (typeof value !== 'number') return false;
  const bound = operand as number;
  return { gt: value > bound, gte: value >= bound, lt: value < bound, lte: value <= bound }[operator] ?? false;
}

function valueOf(name: string, { subject, request }: Asked): unknown {
  const email = subject.email?.toLowerCase();
  const fixed = new Map<string, unknown>([
    ['user_id', subject.id],
    ['email', email],
    ['email_domain', email?.includes('@') ? email.split('@').at(-1) : undefined],
    ['name', subject.name],
    ['department', subject.department],
    ['role', subject.role],
    ['status', subject.status],
    ['provider', request.provider],
    ['device_status', request.deviceStatus],
  ]);
  if (fixed.has(name)) return fixed.get(name);
  return new Map(Object.entries(subject.attributes ?? {})).get(name.slice('attributes.'.length));
}

function applies(policy: DecidablePolicy, one: Asked): boolean {
  const lower = (operand: unknown): unknown => JSON.parse(JSON.stringify(operand).toLowerCase());
  const pattern = (policy.model ?? '*').replaceAll('*', '.*');
  if (!policy.enabled || !new RegExp(`^${pattern}$`, 's').test(one.request.model)) return false;
  return Object.entries(policy.conditions ?? {}).every(([name, tests]) =>
    Object.entries(tests).every(([operator, operand]) =>
      holds(operator, name.startsWith('email') ? lower(operand) : operand, valueOf(name, one)),
    ),
  );
}

function inReportOrder(a: DecidablePolicy, b: DecidablePolicy): number {
  const age = (policy: DecidablePolicy) => policy.createdAt?.getTime() ?? 9e15;
  const precedence = (policy: DecidablePolicy) =>
    ['block', 'require_approval', 'alert', 'allow'].indexOf(policy.action);
  return precedence(a) - precedence(b) || age(a) - age(b) || (a.id < b.id ? -1 : 1);
}

describe('decide', () => {
  it('has the result of a plain loop for any policies, users and requests', () => {
    fc.assert(
      fc.property(policies, fc.array(asked, { minLength: 1, maxLength: 12 }), (policies, questions) => {
        const compiled = compilePolicies(policies);
        for (const one of [...questions, ...questions] as Asked[]) {
          const expected = policies.filter(policy => applies(policy, one)).sort(inReportOrder);
          const verdict = decide(compiled, one.subject, one.request);
          expect(verdict.action).toBe(expected[0]?.action ?? 'allow');
          expect(verdict.matches.map(({ policy }) => policy.id)).toEqual(expected.map(({ id }) => id));
          expect(verdict.violations.map(({ policy }) => policy.id)).toEqual(
            expected.filter(({ action }) => action === 'block' || action === 'alert').map(({ id }) => id),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('examine', () => {
  it('finds a policy to match if all of its conditions match, exactly as decide does', () => {
    fc.assert(
      fc.property(policies, asked, (policies, one) => {
        const { subject, request } = one as Asked;
        const { matches } = decide(compilePolicies(policies), subject, request);
        const holding = policies.filter(policy => {
          const { fitsModel, conditions } = examine(policy, subject, request, BUILT_IN_REGISTRY);
          return policy.enabled && fitsModel && conditions.every(({ held }) => held);
        });
        expect(new Set(holding.map(({ id }) => id))).toEqual(new Set(matches.map(({ policy }) => policy.id)));
      }),
      { numRuns: 300 },
    );
  });

  it('shows every condition with the actual value, and whether it matched', () => {
    const conditions = { department: { in: ['Sales'], not_eq: 'Sales' }, email_domain: { eq: 'EXAMPLE.com' } };
    const { conditions: examined } = examine(
      { model: 'm', conditions },
      { department: 'Sales', email: 'ada@Example.com' },
      { model: 'other' },
      BUILT_IN_REGISTRY,
    );
    expect(examined).toEqual([
      { attribute: 'department', operator: 'in', operand: ['Sales'], value: 'Sales', held: true },
      { attribute: 'department', operator: 'not_eq', operand: 'Sales', value: 'Sales', held: false },
      { attribute: 'email_domain', operator: 'eq', operand: 'EXAMPLE.com', value: 'Example.com', held: true },
    ]);
  });

  it('reports a condition as unknown if its operator is not installed', () => {
    const conditions = { role: { taken_away: 1 }, status: { exists: false } };
    const { conditions: examined } = examine({ model: null, conditions }, {}, { model: 'm' }, BUILT_IN_REGISTRY);
    expect(examined.map(({ operator, held }) => [operator, held])).toEqual([
      ['taken_away', undefined],
      ['exists', true],
    ]);
  });
});
