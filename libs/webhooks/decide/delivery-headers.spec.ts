import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { deliveryHeaders, serviceSignature, signatureHeaderName, standardSignature } from './index.js';

const CURRENT = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const PREVIOUS = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1"}');
const delivery = {
  ...{ serviceName: 'Service', secrets: { current: CURRENT }, eventId: 'evt_1', body },
  ...{ timestamp: new Date(1_800_000_000_999), userAgent: 'Service/1.0' },
};

describe('the headers of a delivery', () => {
  it('name the event and the service, and have both signatures', () => {
    expect(deliveryHeaders(delivery)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Service/1.0',
      'X-Service-Signature': serviceSignature(CURRENT, body),
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1800000000',
      'webhook-signature': standardSignature(CURRENT, 'evt_1', 1_800_000_000, body),
    });
  });

  it('sign with the previous secret, too, while it is valid', () => {
    const headers = deliveryHeaders({ ...delivery, secrets: { current: CURRENT, previous: PREVIOUS } });
    expect(headers).toEqual({
      ...deliveryHeaders(delivery),
      'X-Service-Signature-Previous': serviceSignature(PREVIOUS, body),
      'webhook-signature': [CURRENT, PREVIOUS]
        .map(secret => standardSignature(secret, 'evt_1', 1_800_000_000, body))
        .join(' '),
    });
  });

  it('use the configured name of the service', () => {
    const headers = deliveryHeaders({ ...delivery, serviceName: 'Acme-AI' });
    expect(headers['X-Acme-AI-Signature']).toBe(serviceSignature(CURRENT, body));
    expect(headers).not.toHaveProperty('X-Service-Signature');
  });

  it('never contain a secret', () => {
    const secrets = { current: CURRENT, previous: PREVIOUS };
    const text = JSON.stringify(deliveryHeaders({ ...delivery, secrets }));
    for (const secret of [CURRENT, PREVIOUS]) expect(text).not.toContain(secret.slice('whsec_'.length));
  });
});

describe('the name of the service', () => {
  it.each(['Service', 'a', '7', 'Acme-AI', 'x'.repeat(50)])('may be %j', name => {
    const header = signatureHeaderName(name);
    expect(header).toBe(`X-${name}-Signature`);
    validateHeaderName(header);
    validateHeaderValue(header, 'sha256=00');
  });

  it.each(['', 'Acme AI', 'Acme_AI', 'Zoë', '-a', 'a-', 'a:b', 'a\r\nb', 'a\n', 'x'.repeat(51)])(
    'may not be %j, which is not valid in a header name, or not for every server',
    name => {
      expect(() => signatureHeaderName(name)).toThrow(/^serviceName: .* cannot stand in a header name; give 1 to 50/);
    },
  );
});
