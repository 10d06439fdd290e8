import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { EVENT_CATALOGUE } from '#outbox';
import { registerWebhook, startWebhookStage, type WebhookStage } from '../../support/webhooks.js';
import { enroll, newRequest, newUser } from './devices.support.js';

let stage: WebhookStage;

beforeAll(async () => {
  stage = await startWebhookStage();
});

afterAll(() => stage.close());

describe('the events of a device', () => {
  it('arrive once each at a TLS endpoint, with data that match their schemas', async () => {
    const { app, endpoint } = stage;
    await registerWebhook(app.call, { url: endpoint.url });
    const user = await newUser(app.call);
    const key = await newRequest();
    const { device } = (await enroll(app, user, { csr: key.csr })).body;
    // This refused request must send no event.
    await app.as(null)('POST', '/v1/devices/enroll', { token: 'x', csr: key.csr });
    const next = await newRequest();
    const proof = key.prove(next.csr);
    const renewed = (await app.as(null)('POST', `/v1/devices/${device.id}/renew`, { csr: next.csr, proof })).body
      .device;
    await app.call('POST', `/v1/devices/${device.id}/revoke`);
    expect((await app.call('POST', `/v1/devices/${device.id}/revoke`)).status).toBe(409);
    // This later change of the reason must send no second event.
    const compromised = { crl_reason: 'key_compromise' };
    expect((await app.call('POST', `/v1/devices/${device.id}/revoke`, compromised)).status).toBe(200);
    // Events are stored with the change that they report, so no further delivery can follow.
    expect((await app.call('GET', '/v1/deliveries?limit=100')).body.items).toHaveLength(2);
    await endpoint.reach(2);

    const told = endpoint.requests
      .map(({ body }): { type: string; org_id: string; data: object } => JSON.parse(body.toString()))
      .toSorted((one, other) => (one.type < other.type ? -1 : 1));
    const about = { device_id: device.id, user_id: user, name: 'Laptop 17' };
    const certified = ({ certificate_serial, fingerprint_sha256 }: typeof device) => ({
      certificate_serial,
      fingerprint_sha256,
    });
    expect(told.map(({ type, org_id, data }) => ({ type, org_id, data }))).toEqual([
      { type: 'device_enrolled', org_id: app.orgId, data: { ...about, ...certified(device) } },
      { type: 'device_revoked', org_id: app.orgId, data: { ...about, ...certified(renewed) } },
    ]);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    for (const { type, data } of told) {
      const schema = EVENT_CATALOGUE.find(entry => entry.type === type)?.schema ?? {};
      expect({ type, valid: ajv.validate(schema, data) }).toEqual({ type, valid: true });
    }
  });
});
