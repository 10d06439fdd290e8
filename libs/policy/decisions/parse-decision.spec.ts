import { describe, expect, it } from '@jest/globals';
import { readInput } from '#access';
import { BadRequestError } from '#core';
import { DecisionRequestDto } from './decision.dto.js';
import { parseDecision } from './parse-decision.js';

const good = { user_id: '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11', model: 'm', provider: 'p' };

const bodies: [string, unknown][] = [
  ['the minimal request', good],
  ['an e-mail address', { user_email: 'a@b.example', model: 'm', provider: 'p' }],
  [
    'everything',
    {
      ...good,
      device_id: 'd',
      attributes: { a: 1, b: 'x', c: true, d: null, e: '' },
      estimated_input_tokens: 0,
      max_output_tokens: 1_000_000_000,
      idempotency_key: 'k',
    },
  ],
  ...['model', 'provider'].map((field): [string, unknown] => [`no ${field}`, { ...good, [field]: undefined }]),
  ...['model', 'provider', 'device_id', 'idempotency_key'].flatMap(field =>
    ['', 5, null, ['x'], 'x'.repeat(255), 'x'.repeat(256), '🦊'.repeat(255), '🦊'.repeat(256), 'nul\0', '\ud800'].map(
      (value): [string, unknown] => [`${field} ${JSON.stringify(value).slice(0, 12)}`, { ...good, [field]: value }],
    ),
  ),
  ...['x', 1, null].map((value): [string, unknown] => [`user_id ${value}`, { ...good, user_id: value }]),
  ...['x', '', 1, null, 'a@b'].map((value): [string, unknown] => [
    `user_email ${value}`,
    { ...good, user_email: value },
  ]),
  ...['estimated_input_tokens', 'max_output_tokens'].flatMap(field =>
    [-1, 1.5, '5', null, 1_000_000_001, 7].map((value): [string, unknown] => [
      `${field} ${value}`,
      { ...good, [field]: value },
    ]),
  ),
  ...[null, [], 'x', { a: {} }, { a: ['x'] }, {}].map((value): [string, unknown] => [
    `attributes ${JSON.stringify(value)}`,
    { ...good, attributes: value },
  ]),
  ['an unknown field', { ...good, user: 'x' }],
  ['several faults', { user_id: 1, model: 2, extra: 3 }],
  ['a list', []],
  ['null', null],
];

const shown = (read: () => unknown) => {
  try {
    read();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    // The parser's error names the key inside `attributes`, but the document describes only the field `attributes`.
    const faults = error.details?.map(({ field, message }) =>
      field.startsWith('attributes') ? 'attributes' : `${field}: ${message}`,
    );
    return faults?.sort();
  }
};

describe('the body of a decision', () => {
  it.each(bodies)('is validated by the parser as its DTO documents it: %s', (_title, body) => {
    expect(shown(() => parseDecision(body))).toEqual(shown(() => readInput(DecisionRequestDto, body, 'body')));
  });

  it('requires a user', () => {
    expect(() => parseDecision({ model: 'm', provider: 'p' })).toThrow(/user_id: is required if user_email/);
  });

  it.each([
    ['a key of 129 characters', { ['k'.repeat(129)]: 1 }],
    ['an empty key', { '': 1 }],
    ['a text of 1,025 characters', { a: 'x'.repeat(1_025) }],
    ['101 entries', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, at]))],
    ['a list', { a: [] }],
  ])('refuses attributes with %s', (_title, attributes) => {
    expect(() => parseDecision({ ...good, attributes })).toThrow(BadRequestError);
  });

  it('is refused with the invalid attribute', () => {
    expect(() => parseDecision({ ...good, attributes: { team: {} } })).toThrow(/^attributes\.team: must be/);
  });
});
