import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '#core';
import { encodeEvent, envelopeOf, EVENT_CATALOGUE, parseWireEventId, PING, wireEventId } from './index.js';

const ID = '0199c2a8-b204-7d9a-8f61-e7035a4c2b98';
const ORG = '0199c2a8-5d07-7a44-93be-4f8e21d06c72';
const AT = new Date('2026-11-20T13:00:00.000Z');
const VIOLATION = {
  alert_id: ORG,
  severity: 'high',
  user_id: 'u',
  policy_id: ID,
  provider: 'p',
  model: 'm',
  details: {},
} as const;

const encode = (details: JsonObject): Buffer =>
  encodeEvent({ id: ID, type: 'policy_violation', createdAt: AT, orgId: ORG, data: { ...VIOLATION, details } });

describe('the bytes of an event', () => {
  it('are its envelope as JSON, with keys in a fixed order and nothing around it', () => {
    expect(encodeEvent({ id: ID, type: 'ping', createdAt: AT, orgId: ORG, data: {} }).toString('latin1')).toBe(
      '{"id":"evt_test_0199c2a8b2047d9a8f61e7035a4c2b98","type":"ping","created_at":"2026-11-20T13:00:00.000Z",' +
        '"org_id":"0199c2a8-5d07-7a44-93be-4f8e21d06c72","data":{}}',
    );
  });

  it('are UTF-8, with escapes for characters that UTF-8 or PostgreSQL cannot represent', () => {
    const bytes = encode({ name: 'Zoë \u{1F600} \0 \uD800 \uDC00' });
    expect(bytes.toString('hex')).toContain(Buffer.from('Zoë \u{1F600} \\u0000 \\ud800 \\udc00').toString('hex'));
  });

  it('are read back unchanged, whatever the data', () => {
    const strings = fc.oneof(
      fc.string({ unit: 'binary' }),
      // Texts of any UTF-16 units, including NUL and halves of surrogate pairs.
      fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units)),
      fc.constantFrom('\0', '\u{1F600}', '\uD83D', '\uDE00\uD83D', '\u2028', '__proto__'),
    );
    const values = [strings, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean()];
    const tree = fc.object({ key: strings, values: [...values, fc.constant(null)], maxDepth: 4 });
    fc.assert(
      // The events contain only JSON values.
      fc.property(
        tree.map(value => withoutMinusZero(value) as JsonObject),
        details => {
          const read: unknown = JSON.parse(encode(details).toString('utf8'));
          expect(read).toEqual({
            ...{ id: `evt_${ID.replaceAll('-', '')}`, type: 'policy_violation' },
            ...{ created_at: AT.toISOString(), org_id: ORG, data: { ...VIOLATION, details } },
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([1e308, 5e-324, 2 ** 53, -(2 ** 53), 0.1 + 0.2, 1e21, 123456789.12345679])('keep the number %d', number => {
    expect(JSON.parse(encode({ number }).toString())).toMatchObject({ data: { details: { number } } });
  });

  it('are the same each time, and for the published example', () => {
    const { example } = EVENT_CATALOGUE[0]!;
    const { id } = parseWireEventId(example.id)!;
    const createdAt = new Date(example.created_at);
    const event = { id, createdAt, orgId: example.org_id, type: example.type, data: example.data };
    expect(encodeEvent(event).toString()).toBe(JSON.stringify(example));
    expect(envelopeOf(event)).toEqual(example);
  });
});

describe('the id of an event', () => {
  it('is evt_ and the digits of its UUID, of a ping evt_test_', () => {
    expect(wireEventId(ID.toUpperCase(), 'budget_warning')).toBe('evt_0199c2a8b2047d9a8f61e7035a4c2b98');
    expect(wireEventId(ID, PING)).toBe('evt_test_0199c2a8b2047d9a8f61e7035a4c2b98');
  });

  it('reads back', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom('ping', 'device_revoked'), (id, type) => {
        expect(parseWireEventId(wireEventId(id, type))).toEqual({ id, isTest: type === 'ping' });
      }),
    );
  });

  it('is never created from anything but a UUID', () => {
    expect(() => wireEventId('7', 'ping')).toThrow('not under "7"');
  });

  it.each([
    '',
    ID,
    'evt_',
    `evt_${ID}`,
    'EVT_0199c2a8b2047d9a8f61e7035a4c2b98',
    'evt_test_test_0199c2a8b2047d9a8f61e7035a4c2b98',
    'evt_0199c2a8b2047d9a8f61e7035a4c2b98\n',
    'evt_0199C2A8b2047d9a8f61e7035a4c2b98',
    'evt_0199c2a8b2047d9a8f61e7035a4c2b980',
  ])('is not read out of %j', text => {
    expect(parseWireEventId(text)).toBeUndefined();
  });
});

/** JSON has no minus zero, so it is read back as 0. */
function withoutMinusZero(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutMinusZero(part)]));
  }
  return Object.is(value, -0) ? 0 : value;
}
