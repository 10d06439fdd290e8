import { describe, expect, it } from '@jest/globals';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { newId, type JsonObject } from '#core';
import {
  encodeEvent,
  EVENT_CATALOGUE,
  parseWireEventId,
  wireEventId,
  type PolicyViolationData,
} from '../../libs/outbox/events/index.js';
import { deliveryHeaders, newSigningSecret } from '../../libs/webhooks/decide/index.js';

interface Sent {
  secret: string;
  eventId: string;
  body: Buffer;
  headers: Record<string, string>;
}

const SERVICE = 'X-Service-Signature';

function sign(body: Buffer, eventId: string, secret: string, previous?: string): Sent {
  const timestamp = new Date();
  const secrets = { current: secret, previous };
  const headers = deliveryHeaders({
    ...{ serviceName: 'Service', secrets, eventId, timestamp, body, userAgent: 'Service/1.0' },
  });
  return { secret, eventId, body, headers };
}

function sent(details: JsonObject, secret = newSigningSecret(), previous?: string): Sent {
  const id = newId();
  const data: PolicyViolationData = {
    ...{ alert_id: newId(), severity: 'high', user_id: newId(), policy_id: newId() },
    ...{ provider: 'openai', model: 'gpt-4o', details },
  };
  const body = encodeEvent({ id, type: 'policy_violation', createdAt: new Date(), orgId: newId(), data });
  return sign(body, wireEventId(id, 'policy_violation'), secret, previous);
}

/** Whether a receiver that verifies the service's own header accepts the request. */
const ownSaysYes = async ({ secret, body, headers }: Sent, header = SERVICE): Promise<boolean> =>
  // The library takes the body as text. All our bodies are UTF-8.
  verify(secret, body.toString('utf8'), headers[header] ?? 'none');

/** Whether a receiver that verifies Standard Webhooks accepts the request. */
function standardSaysYes({ secret, body, headers }: Sent): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    // Rethrows any other error, because it is a fault of the test.
    if (!(error instanceof Error) || !/No matching signature|timestamp too/.test(error.message)) throw error;
    return false;
  }
}

async function verdicts(delivery: Sent): Promise<[own: boolean, standard: boolean]> {
  return [await ownSaysYes(delivery), standardSaysYes(delivery)];
}

const PAYLOADS: Record<string, JsonObject> = {
  'empty details': {},
  'texts of many scripts': { name: 'Zoë Ångström', city: '東京', note: 'שלום Ελλάδα', joined: 'e\u0301' },
  NUL: { text: 'before\0after', '\0': '\0' },
  emoji: { text: '\u{1F600}\u{1F469}\u200D\u{1F4BB}', '\u{1F511}': 1 },
  'halves of surrogate pairs': { high: '\uD83D', low: '\uDE00', turned: '\uDE00\uD83D', '\uD800': 1 },
  'separators of lines': { text: '\u2028\u2029\r\n\u0085', bom: '\uFEFF' },
  'large and small numbers': { a: 1e308, b: 2 ** 53, c: 5e-324, d: -(2 ** 53), e: 1e21 },
  'minus zero and long decimals': { a: -0, b: 0.1 + 0.2, c: 123456789.12345679, d: 1 / 3 },
  'quotes and backslashes': { text: '"\\"\\u0000\'</script>' },
  'a text of 100 KB': { text: 'é\u{1F600}\0'.repeat(14_000) },
};

describe('the signatures of deliveries', () => {
  describe.each(Object.entries(PAYLOADS))('with %s', (_name, details) => {
    it('are accepted by @octokit/webhooks-methods and by standardwebhooks', async () => {
      expect(await verdicts(sent(details))).toEqual([true, true]);
    });

    it('are refused for an altered byte, first, middle or last', async () => {
      const delivery = sent(details);
      for (const at of [0, delivery.body.length >> 1, delivery.body.length - 1]) {
        const body = Buffer.from(delivery.body);
        // Changes one bit of an ASCII byte, so that the body stays valid UTF-8 and the change is not hidden by a
        // replacement character.
        const ascii = body.findIndex((byte, index) => index >= at && byte < 0x80);
        body.writeUInt8(body.readUInt8(ascii) ^ 1, ascii);
        expect(await verdicts({ ...delivery, body })).toEqual([false, false]);
      }
    });

    it('are refused by a receiver with another secret', async () => {
      expect(await verdicts({ ...sent(details), secret: newSigningSecret() })).toEqual([false, false]);
    });
  });

  it.each(EVENT_CATALOGUE.map(entry => [entry.type, entry] as const))(
    'are accepted for %s as it is published',
    async (type, { example }) => {
      const { id } = parseWireEventId(example.id)!;
      const { org_id: orgId, data } = example;
      const body = encodeEvent({ id, type, createdAt: new Date(example.created_at), orgId, data });
      expect(await verdicts(sign(body, example.id, newSigningSecret()))).toEqual([true, true]);
    },
  );

  it('are refused if a byte is missing or added', async () => {
    const delivery = sent({});
    for (const body of [delivery.body.subarray(0, -1), Buffer.concat([delivery.body, Buffer.from('\n')])]) {
      expect(await verdicts({ ...delivery, body })).toEqual([false, false]);
    }
  });

  it('cover the event id and the time of the attempt (Standard Webhooks)', () => {
    const delivery = sent({});
    const given = delivery.headers;
    const seconds = Number(given['webhook-timestamp']);
    expect(standardSaysYes({ ...delivery, headers: { ...given, 'webhook-id': sent({}).eventId } })).toBe(false);
    for (const moved of [seconds + 1, seconds - 1, seconds - 3600]) {
      const headers = { ...given, 'webhook-timestamp': String(moved) };
      expect(standardSaysYes({ ...delivery, headers })).toBe(false);
    }
    expect(standardSaysYes(delivery)).toBe(true);
  });

  it('have the event id of the body in webhook-id', () => {
    const { headers, body } = sent({});
    expect(JSON.parse(body.toString())).toMatchObject({ id: headers['webhook-id'] });
  });

  it('are accepted with the old and with the new secret while both are valid', async () => {
    const [secret, previous] = [newSigningSecret(), newSigningSecret()];
    const delivery = sent({ name: 'Zoë' }, secret, previous);
    expect(delivery.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(await verdicts(delivery)).toEqual([true, true]);
    const behind = { ...delivery, secret: previous };
    expect(standardSaysYes(behind)).toBe(true);
    expect([await ownSaysYes(behind), await ownSaysYes(behind, `${SERVICE}-Previous`)]).toEqual([false, true]);
    expect(standardSaysYes({ ...delivery, secret: newSigningSecret() })).toBe(false);
  });

  it('with the old secret end with the overlap', async () => {
    const previous = newSigningSecret();
    const delivery = { ...sent({}), secret: previous };
    expect(delivery.headers).not.toHaveProperty(`${SERVICE}-Previous`);
    expect(await verdicts(delivery)).toEqual([false, false]);
  });
});
