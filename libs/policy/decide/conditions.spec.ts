import { describe, expect, it } from '@jest/globals';
import { validateConditions } from './index.js';

const OPERATORS = 'in, not_in, eq, not_eq, starts_with, ends_with, exists, gt, gte, lt, lte';
const ATTRIBUTES =
  'department, role, status, email, email_domain, name, user_id, provider, project, device_status, attributes.<key>, tags.<key>';

describe('validateConditions', () => {
  it('accepts every documented condition', () => {
    const good = [
      {},
      { department: { not_in: ['Finance'] }, role: { in: ['admin'] }, status: { eq: 'active' } },
      { email: { ends_with: '@acme.com' }, email_domain: { not_eq: null }, name: { starts_with: 'A' } },
      { user_id: { eq: 'x' }, provider: { exists: true }, device_status: { exists: false } },
      { 'attributes.level': { gt: 1, lte: 5.5 }, 'attributes.flag': { eq: true }, 'attributes.a.b': { gte: 0, lt: 1 } },
      { 'attributes.constructor': { eq: 'x' }, [`attributes.${'k'.repeat(128)}`]: { eq: 1 } },
      { department: { in: Array.from({ length: 10_000 }, (_, n) => String(n)) }, name: { eq: 'n'.repeat(1024) } },
    ];
    for (const conditions of good) expect(validateConditions(conditions)).toEqual([]);
  });

  it.each<[unknown, string, string]>([
    [[], 'conditions', 'must be an object such as {"department": {"not_in": ["Finance"]}}; {} matches every person'],
    [null, 'conditions', 'must be an object such as {"department": {"not_in": ["Finance"]}}; {} matches every person'],
    [{ team: { in: [] } }, 'conditions.team', `unknown attribute "team"; known attributes: ${ATTRIBUTES}`],
    [{ toString: { eq: 1 } }, 'conditions.toString', `unknown attribute "toString"; known attributes: ${ATTRIBUTES}`],
    [
      { attributes: { eq: 1 } },
      'conditions.attributes',
      `unknown attribute "attributes"; known attributes: ${ATTRIBUTES}`,
    ],
    [
      { 'attributes.': { eq: 1 } },
      'conditions.attributes.',
      'the key after "attributes." must have 1 to 128 characters',
    ],
    [{ department: {} }, 'conditions.department', `must have at least one operator: ${OPERATORS}`],
    [{ role: 'x' }, 'conditions.role', `must be an object of operators and operands; known operators: ${OPERATORS}`],
    [{ role: ['x'] }, 'conditions.role', `must be an object of operators and operands; known operators: ${OPERATORS}`],
    [{ role: { like: 'x' } }, 'conditions.role.like', `unknown operator "like"; known operators: ${OPERATORS}`],
    [{ role: { valueOf: 1 } }, 'conditions.role.valueOf', `unknown operator "valueOf"; known operators: ${OPERATORS}`],
    [{ role: { in: 'x' } }, 'conditions.role.in', 'must be an array of strings'],
    [{ role: { not_in: ['a', 'b', 3] } }, 'conditions.role.not_in[2]', 'must be a string'],
    [{ role: { eq: ['x'] } }, 'conditions.role.eq', 'must be a string, a number, a boolean or null'],
    [{ role: { not_eq: { a: 1 } } }, 'conditions.role.not_eq', 'must be a string, a number, a boolean or null'],
    [{ role: { starts_with: 1 } }, 'conditions.role.starts_with', 'must be a string'],
    [{ role: { ends_with: null } }, 'conditions.role.ends_with', 'must be a string'],
    [{ role: { exists: 'yes' } }, 'conditions.role.exists', 'must be a boolean'],
    [{ role: { gt: '1' } }, 'conditions.role.gt', 'must be a number'],
    [{ role: { lte: Number.NaN } }, 'conditions.role.lte', 'must be a finite number'],
    [{ role: { eq: Infinity } }, 'conditions.role.eq', 'must be a finite number'],
    [{ role: { eq: 'x'.repeat(1025) } }, 'conditions.role.eq', 'must have at most 1024 characters'],
    [{ role: { in: ['a', '\0'] } }, 'conditions.role.in[1]', 'must not contain NUL or half of a surrogate pair'],
    [{ role: { eq: '\ud800' } }, 'conditions.role.eq', 'must not contain NUL or half of a surrogate pair'],
    [{ 'attributes.\0': { eq: 1 } }, 'conditions.attributes.\0', 'must not contain NUL or half of a surrogate pair'],
    [{ role: { in: Array(10_001).fill('a') } }, 'conditions.role.in', 'must have at most 10000 entries'],
  ])('describes the error in %j', (conditions, field, message) => {
    expect(validateConditions(conditions)).toEqual([{ field, message }]);
  });

  it('treats __proto__ as an unknown attribute or operator', () => {
    const attribute: unknown = JSON.parse('{"__proto__": {"eq": 1}}');
    expect(validateConditions(attribute)[0]?.field).toBe('conditions.__proto__');
    const operator: unknown = JSON.parse('{"role": {"__proto__": 1}}');
    expect(validateConditions(operator)[0]?.field).toBe('conditions.role.__proto__');
  });

  it('names every error, up to fifty', () => {
    const conditions = { team: { eq: 1 }, role: { in: [1, 2], gt: 'x' } };
    expect(validateConditions(conditions).map(({ field }) => field)).toEqual([
      'conditions.team',
      'conditions.role.in[0]',
      'conditions.role.in[1]',
      'conditions.role.gt',
    ]);
    expect(validateConditions({ role: { in: Array(100).fill(1) } })).toHaveLength(50);
  });

  it('accepts at most fifty attributes and keys of at most 128 characters, and never quotes a longer name', () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`attributes.k${n}`, { eq: 1 }]));
    expect(validateConditions(many)).toEqual([{ field: 'conditions', message: 'must name at most 50 attributes' }]);
    const [fault] = validateConditions({ [`attributes.${'k'.repeat(5000)}`]: { eq: 1 } });
    expect(fault?.message).toBe('the key after "attributes." must have 1 to 128 characters');
    expect(fault?.field.length).toBeLessThan(200);
  });
});
