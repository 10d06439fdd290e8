import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { eventFingerprint } from './fingerprint.js';
import { parseUsageEvent } from './parse-usage-event.js';

const now = new Date('2026-11-20T13:00:00Z');
const event = {
  id: 'evt-1',
  user_id: '0190b5a0-0000-7000-8000-00000000000a',
  user_email: 'ada@example.com',
  provider: 'openai',
  model: 'gpt-5',
  occurred_at: '2026-11-20T12:59:00Z',
  input_tokens: 100,
  output_tokens: 20,
  cache_read_tokens: 3,
  cache_write_tokens: 4,
  reasoning_tokens: 5,
  requests: 2,
  cost_usd: 0.1,
  decision_id: '0190b5a0-0000-7000-8000-00000000000b',
  metadata: { a: 1, b: [{ c: 'x', d: null }] },
};

function fingerprint(raw: object): string {
  const result = parseUsageEvent(raw, now);
  if (!result.ok) throw new Error(`${result.field}: ${result.message}`);
  return eventFingerprint(result.event);
}

/** Copies a value. All objects in the copy have their keys in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, reversed(part)]),
  );
}

describe('the fingerprint of an event', () => {
  it('has 16 bytes', () => expect(fingerprint(event)).toMatch(/^[0-9a-f]{32}$/));

  it('is the same for every spelling of the same content', () => {
    const same = {
      ...event,
      user_id: event.user_id.toUpperCase(),
      user_email: 'ADA@example.com',
      occurred_at: '2026-11-20T13:59:00.000+01:00',
      cost_usd: '0.100',
    };
    expect(fingerprint(same)).toBe(fingerprint(event));
  });

  it.each<object>([
    { user_id: '0190b5a0-0000-7000-8000-00000000000c' },
    { user_email: 'bob@example.com' },
    { provider: 'azure' },
    { service_tier: 'batch' },
    { region: 'eu-west-1' },
    { project: 'batch' },
    { model: 'gpt-5-mini' },
    { occurred_at: '2026-11-20T12:59:00.001Z' },
    { input_tokens: 101 },
    { output_tokens: 21 },
    { cache_read_tokens: 4, cache_write_tokens: 3 },
    { reasoning_tokens: 6 },
    { requests: 3 },
    { cost_usd: 0.2 },
    { cost_usd: null },
    { decision_id: null },
    { metadata: { a: 1, b: [{ c: 'x' }] } },
    { metadata: null },
  ])('differs if %j differs', change => expect(fingerprint({ ...event, ...change })).not.toBe(fingerprint(event)));

  it('differs if the units besides the tokens differ', () => {
    const searched = (count: number) => ({
      id: 'evt-1',
      user_id: event.user_id,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      occurred_at: event.occurred_at,
      usage: { input_tokens: 5, output_tokens: 5, server_tool_use: { web_search_requests: count } },
    });
    expect(fingerprint(searched(1))).not.toBe(fingerprint(searched(2)));
  });

  it('does not depend on the id, which is stored separately', () => {
    expect(fingerprint({ ...event, id: 'evt-2' })).toBe(fingerprint(event));
  });

  it('does not depend on the order of keys at any depth', () => {
    const metadata = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });
    fc.assert(
      fc.property(metadata, value => {
        const raw = { ...event, metadata: value };
        fc.pre(parseUsageEvent(raw, now).ok);
        const turned = parseUsageEvent(reversed(raw), now);
        expect(turned.ok && eventFingerprint(turned.event)).toBe(fingerprint(raw));
      }),
    );
  });
});
