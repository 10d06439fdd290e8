import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { eventFingerprint } from './fingerprint.js';
import { parseUsageEvent } from './parse-usage-event.js';
import { NO_TIME_LIMITS, type ParsedUsageEvent, type ParseResult } from './usage-event.js';

const now = new Date('2026-11-20T13:00:00Z');
const USER = '0190B5A0-0000-7000-8000-00000000000A';
const minimal = {
  id: 'evt-1',
  user_id: USER,
  provider: 'openai',
  model: 'gpt-5',
  occurred_at: '2026-11-20T12:59:00Z',
  input_tokens: 100,
  output_tokens: 20,
};
const { input_tokens, output_tokens, ...withoutCounts } = minimal;

const parse = (change: object): ParseResult => parseUsageEvent({ ...minimal, ...change }, now);

function accepted(result: ParseResult): ParsedUsageEvent {
  if (!result.ok) throw new Error(`${result.field}: ${result.message}`);
  return result.event;
}

function refusedField(result: ParseResult): string | undefined {
  return result.ok ? undefined : result.field;
}

describe('a usage event', () => {
  it('needs only an id, a user, a model, a time and two counts', () => {
    expect(accepted(parse({}))).toEqual({
      id: 'evt-1',
      userId: USER.toLowerCase(),
      userEmail: null,
      provider: 'openai',
      model: 'gpt-5',
      project: null,
      tags: null,
      occurredAt: new Date('2026-11-20T12:59:00Z'),
      tokens: { input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
      requests: 1,
      serviceTier: 'standard',
      region: null,
      costPicodollars: null,
      decisionId: null,
      metadataJson: null,
    });
  });

  it('identifies its user by email address, ignoring case', () => {
    expect(accepted(parse({ user_id: null, user_email: 'Ada@Example.com' })).userEmail).toBe('ada@example.com');
  });

  it('treats null as a missing optional field', () => {
    const nulls = {
      user_email: null,
      requests: null,
      cost_usd: null,
      decision_id: null,
      metadata: null,
      usage: null,
      api_flavor: null,
    };
    expect(accepted(parse(nulls))).toEqual(accepted(parse({})));
  });

  it.each<[string, object]>([
    ['id', { id: '' }],
    ['id', { id: 'x'.repeat(256) }],
    ['id', { id: 'a\0b' }],
    ['id', { id: 7 }],
    ['user_id', { user_id: undefined }],
    ['user_id', { user_id: 'ada' }],
    ['user_email', { user_email: 'ada' }],
    ['user_email', { user_email: 'a\ud800@b.c' }],
    ['provider', { provider: ' ' }],
    ['model', { model: 'x'.repeat(256) }],
    ['model', { model: 'gpt\ud800' }],
    ['occurred_at', { occurred_at: '2026-02-30T00:00:00Z' }],
    ['occurred_at', { occurred_at: 1_763_640_000 }],
    ['occurred_at', { occurred_at: undefined }],
    ['input_tokens', { input_tokens: -1 }],
    ['input_tokens', { input_tokens: 1.5 }],
    ['input_tokens', { input_tokens: '100' }],
    ['input_tokens', { input_tokens: 1e12 + 1 }],
    ['input_tokens', { input_tokens: undefined }],
    ['output_tokens', { output_tokens: null }],
    ['input_tokens', { cache_read_tokens: 60, cache_write_tokens: 41 }],
    ['output_tokens', { reasoning_tokens: 21 }],
    ['requests', { requests: 0 }],
    ['requests', { requests: 1e9 + 1 }],
    ['cost_usd', { cost_usd: -0.1 }],
    ['cost_usd', { cost_usd: '0.0000000000001' }],
    ['cost_usd', { cost_usd: 1_000_001 }],
    ['cost_usd', { cost_usd: true }],
    ['decision_id', { decision_id: 'x' }],
    ['metadata', { metadata: [] }],
    ['metadata', { metadata: 'x' }],
    ['metadata', { metadata: { a: 'x'.repeat(16_384) } }],
    ['metadata.a[1]', { metadata: { a: ['ok', '\0'] } }],
    ['metadata', { metadata: JSON.parse('{"__proto__":1}') as object }],
    ['metadata', { metadata: { '\ud800': 1 } }],
    ['metadata.a.a.a.a.a.a.a.a', { metadata: JSON.parse('{"a":'.repeat(9) + '1' + '}'.repeat(9)) as object }],
    ['colour', { colour: 'red' }],
    ['__proto__', JSON.parse('{"__proto__":{"id":"y"}}') as object],
    ['api_flavor', { api_flavor: 'chat' }],
  ])('is refused, naming %s: %j', (field, change) => {
    // The object is built key by key, because a spread in a literal would make an own key `__proto__` the prototype.
    const raw = Object.defineProperties({}, Object.getOwnPropertyDescriptors({ ...minimal, ...change }));
    expect(refusedField(parseUsageEvent(raw, now))).toBe(field);
  });

  it('may have 16 KiB of metadata, counted in bytes', () => {
    const sized = (text: string) => refusedField(parse({ metadata: { a: text } }));
    expect([sized('x'.repeat(16_384 - 8)), sized('x'.repeat(16_384 - 7))]).toEqual([undefined, 'metadata']);
    expect([sized('é'.repeat(8_188)), sized('é'.repeat(8_189))]).toEqual([undefined, 'metadata']);
  });

  it('has its first error reported', () => {
    expect(refusedField(parse({ id: '', model: '', cost_usd: -1 }))).toBe('id');
    expect(refusedField(parse({ model: '', cost_usd: -1 }))).toBe('model');
  });

  it('keeps its id in a refusal, if the id is usable', () => {
    expect(parse({ model: '' })).toEqual({ ok: false, id: 'evt-1', field: 'model', message: 'must not be empty' });
    expect(parse({ id: 1 })).toMatchObject({ id: null });
  });

  it('may be 90 days old and 5 minutes in the future, and not a millisecond more', () => {
    const when = (ms: number) => refusedField(parse({ occurred_at: new Date(now.getTime() + ms).toISOString() }));
    expect([when(-90 * 86_400_000), when(300_000)]).toEqual([undefined, undefined]);
    expect([when(-90 * 86_400_000 - 1), when(300_001)]).toEqual(['occurred_at', 'occurred_at']);
  });

  it('may have any age in an import', () => {
    const old = { ...minimal, occurred_at: '2020-01-01T00:00:00Z' };
    expect(parseUsageEvent(old, now, NO_TIME_LIMITS).ok).toBe(true);
  });

  it.each<[unknown, bigint]>([
    [0.1, 100_000_000_000n],
    ['0.10', 100_000_000_000n],
    [1e-7, 100_000n],
    [0, 0n],
    [1_000_000, 10n ** 18n],
  ])('states a cost of %p exactly', (cost_usd, pico) => {
    expect(accepted(parse({ cost_usd })).costPicodollars).toBe(pico);
  });

  it('never throws, and names a field whenever it is refused', () => {
    const key = fc.constantFrom(
      'extra',
      '__proto__',
      ...Object.keys(minimal),
      'usage',
      'metadata',
      'cost_usd',
      'requests',
      'api_flavor',
      'cache_read_tokens',
      'decision_id',
    );
    const anything = fc.oneof(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSparseArray: true,
        withTypedArray: true,
      }),
      fc.jsonValue(),
    );
    const change = fc.dictionary(key, anything, { maxKeys: 3 }).map(part => Object.assign({}, minimal, part));
    const change2 = fc.dictionary(key, anything, { maxKeys: 3 }).map(part => Object.assign({}, withoutCounts, part));
    fc.assert(
      fc.property(fc.oneof(anything, change, change2), raw => {
        const result = parseUsageEvent(raw, now);
        if (result.ok) expect(eventFingerprint(result.event)).toHaveLength(32);
        else expect(result.field.length * result.message.length).toBeGreaterThan(0);
      }),
      { numRuns: 3_000 },
    );
  });
});
