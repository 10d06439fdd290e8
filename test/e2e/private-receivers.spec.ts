import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess, type Authority } from '../support/certificates.js';
import { answer } from '../support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../support/https-endpoint.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { fireEvents, registerWebhook, until } from '../support/webhooks.js';

const SECRET = 'what a service inside says to nobody else';

describe('a receiver at a private address', () => {
  let authority: Authority;
  let distrust: () => void;
  let endpoint: Endpoint;
  let app: TestApp | undefined;

  const start = async (...allow: string[]): Promise<TestApp> => (app = await startTestApp({ egress: { allow } }));
  const attemptOf = async (made: TestApp) => {
    const { call, orgId } = made;
    const { id } = await registerWebhook(call, { url: endpoint.url });
    await fireEvents(made, orgId);
    const delivery = await until(async () => {
      const { body } = await call('GET', `/v1/webhooks/${id}/deliveries?status=delivered`);
      return body.items[0];
    });
    return delivery.attempts[0];
  };

  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority, behaviour: answer(200, SECRET) });
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });
  afterAll(async () => {
    await endpoint.close();
    distrust();
  });

  it('has its answer stored if the entry is for webhooks', async () => {
    const made = await start('webhooks=127.0.0.0/8');
    expect(await attemptOf(made)).toMatchObject({
      http_status: 200,
      response_body: SECRET,
      response_truncated: false,
    });
  });

  it('has only the status of its answer stored if the entry is for every purpose', async () => {
    const made = await start('127.0.0.0/8');
    expect(await attemptOf(made)).toMatchObject({
      http_status: 200,
      response_body: null,
      response_truncated: true,
      error: null,
    });
    const rows = await made.database.asOwner('select response_body from governance.webhook_attempts');
    expect(rows).toEqual([{ response_body: null }]);
  });

  it('is refused to webhooks if the entry is for tickets, and to connectors if it is for webhooks', async () => {
    const port = new URL(endpoint.url).port;
    const { call } = await start('tickets=127.0.0.0/8', `webhooks=127.0.0.9:${port}`);
    const webhook = (url: string) => call('POST', '/v1/webhooks', { url });
    const connector = (url: string) =>
      call('POST', '/v1/itsm/connectors', {
        ...{ kind: 'servicenow', name: url, active: false, settings: { instance_url: url } },
        secrets: { username: 'u', password: 'p' },
      });
    expect(await webhook(endpoint.url)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'url', message: expect.stringContaining('a loopback address') }] },
    });
    expect((await connector('https://127.0.0.1')).status).toBe(201);
    expect((await webhook(`https://127.0.0.9:${port}/`)).status).toBe(201);
    expect((await webhook('https://127.0.0.9/')).status).toBe(400);
  });
});
