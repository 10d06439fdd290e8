import { describe, expect, it } from '@jest/globals';
import { Policy } from './policy.entity.js';

const BORN = new Date('2026-11-20T12:00:00.000Z');
const later = (milliseconds: number) => new Date(BORN.getTime() + milliseconds);
const policy = () => Policy.create('o', 'p', { name: 'n', action: 'block' }, BORN);

describe('a policy', () => {
  it('is for all users and all models, and enabled, by default', () => {
    expect(policy()).toMatchObject({ model: null, conditions: {}, enabled: true, description: null, version: 1 });
  });

  it('raises its version and updatedAt with each change, and only with a change', () => {
    const one = policy();
    expect(one.change({ name: 'n', enabled: true, conditions: {} }, later(5))).toBe(false);
    expect(one).toMatchObject({ version: 1, updatedAt: BORN });
    expect(one.change({ name: 'other' }, later(5))).toBe(true);
    expect(one).toMatchObject({ version: 2, updatedAt: later(5), createdAt: BORN });
  });

  it('treats conditions with another order of keys as equal', () => {
    const one = Policy.create(
      'o',
      'p',
      { name: 'n', action: 'block', conditions: { a: { in: ['x'] }, b: { eq: 1 } } },
      BORN,
    );
    expect(one.change({ conditions: { b: { eq: 1 }, a: { in: ['x'] } } }, later(1))).toBe(false);
  });

  it('never decreases updatedAt, and increases it with each change', () => {
    const one = policy();
    one.change({ name: 'a' }, later(-1_000));
    expect(one.updatedAt).toEqual(later(1));
  });

  it('keeps its severity when its action changes', () => {
    const one = policy();
    one.change({ action: 'alert' }, later(1));
    expect(one.effectiveSeverity).toBe('high');
  });

  it("uses its action's severity when its own is removed", () => {
    const one = Policy.create('o', 'p', { name: 'n', action: 'alert', severity: 'critical' }, BORN);
    one.change({ severity: null }, later(1));
    expect(one.effectiveSeverity).toBe('medium');
  });

  it('has no severity if its action is not a violation', () => {
    expect(Policy.create('o', 'p', { name: 'n', action: 'allow' }, BORN).effectiveSeverity).toBeNull();
  });

  it('takes over a complete content exactly, also a severity that equals the action’s', () => {
    const one = policy();
    const first = one.content();
    one.change({ severity: null, description: 'd', conditions: { role: { eq: 'x' } } }, later(1));
    const second = one.content();
    expect(second.severity).toBeNull();
    expect(one.restore(second, later(2))).toBe(false);
    expect(one.restore(first, later(2))).toBe(true);
    expect([one.content(), one.version, one.updatedAt]).toEqual([first, 3, later(2)]);
    expect(one.restore(second, later(2))).toBe(true);
    expect([one.content(), one.version, one.updatedAt]).toEqual([second, 4, later(3)]);
  });

  it('can be restored after its deletion, with its id and age and a version after the last', () => {
    const last = { orgId: 'o', policyId: 'p', version: 7, policyCreatedAt: BORN, changedAt: later(9) };
    const content = { ...policy().content(), severity: null };
    const revived = Policy.revive(last, content, later(5));
    expect(revived).toMatchObject({ orgId: 'o', id: 'p', version: 8, createdAt: BORN, updatedAt: later(10) });
    expect(revived.content()).toEqual(content);
  });
});
