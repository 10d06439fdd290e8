import { describe, expect, it } from '@jest/globals';
import { ConditionOperator, OperatorRegistry, compilePolicies, decide, validateConditions } from './index.js';

class Contains extends ConditionOperator<string> {
  readonly name: string = 'contains';
  validateOperand = (operand: unknown) => (typeof operand === 'string' ? undefined : 'must be a string');
  compile = (operand: string) => (value: unknown) => Array.isArray(value) && value.includes(operand);
  matchesMissing = () => false;
}

class AcmeContains extends Contains {}
class AcmeIn extends Contains {
  override readonly name = 'in';
}
class Shouting extends Contains {
  override readonly name = 'IN!';
}

describe('OperatorRegistry', () => {
  const operators = new OperatorRegistry([new Contains()]);
  const policy = { id: 'p', name: 'p', model: null, action: 'block', enabled: true, version: 1 } as const;

  it('evaluates the operator of a host, which gets lists unchanged', () => {
    const conditions = { 'attributes.teams': { contains: 'red', exists: true } };
    const compiled = compilePolicies([{ ...policy, conditions }], { operators });
    const actionFor = (teams: unknown) => decide(compiled, { attributes: { teams } }, { model: 'm' }).action;
    expect(actionFor(['blue', 'red'])).toBe('block');
    expect(actionFor(['blue'])).toBe('allow');
    expect(actionFor(null)).toBe('allow');
  });

  it('calls the operator of a host only for policies that the index has not excluded', () => {
    const asked: unknown[] = [];
    class Spy extends Contains {
      override compile = () => (value: unknown) => asked.push(value) > 0;
    }
    const conditions = { department: { in: ['Finance'] }, name: { contains: 'x' } };
    const compiled = compilePolicies([{ ...policy, conditions }], { operators: new OperatorRegistry([new Spy()]) });
    expect(decide(compiled, { department: 'Sales', name: 'A' }, { model: 'm' }).action).toBe('allow');
    expect(asked).toEqual([]);
    expect(decide(compiled, { department: 'Finance', name: 'A' }, { model: 'm' }).action).toBe('block');
    expect(asked).toContain('A');
  });

  it('validates operands with the operator of a host and lists its name', () => {
    expect(validateConditions({ name: { contains: 3 } }, operators)).toEqual([
      { field: 'conditions.name.contains', message: 'must be a string' },
    ]);
    expect(validateConditions({ name: { like: 'x' } }, operators)[0]?.message).toMatch(/lte, contains$/);
  });

  it('applies the limits of all operands to the operands of a host', () => {
    class Anything extends Contains {
      override validateOperand = () => undefined;
    }
    const registry = new OperatorRegistry([new Anything()]);
    const faultsOf = (contains: unknown) => validateConditions({ name: { contains } }, registry);
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : { in: nested(levels - 1) });
    expect(faultsOf(nested(8))).toEqual([]);
    expect(faultsOf(nested(9))[0]?.message).toBe('must be nested at most 8 levels deep');
    expect(faultsOf({ list: ['a', '\0'] })[0]?.field).toBe('conditions.name.contains.list[1]');
  });

  it('refuses two operators with one name, and names both and the remedy', () => {
    expect(() => new OperatorRegistry([new Contains(), new AcmeContains()])).toThrow(
      'conditionOperators: "contains" is claimed by Contains and AcmeContains; rename one of them',
    );
    expect(() => new OperatorRegistry([new AcmeIn()])).toThrow(
      'conditionOperators: "in" is claimed by the built-in operator and AcmeIn; rename one of them',
    );
  });

  it('refuses a name that cannot be used in conditions', () => {
    expect(() => new OperatorRegistry([new Shouting()])).toThrow('Shouting has the name "IN!"; use 1 to 64');
  });

  it('finds no operator by a name of Object.prototype', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) expect(operators.get(name)).toBeUndefined();
  });
});
