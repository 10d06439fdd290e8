import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretRewrapper } from '#secrets';
import { startTestApp, type TestApp } from '../../support/test-app.js';

const KEY = 'sk-live-not-to-be-shown-0123456789';
const PATH = '/v1/gateway/providers/openai';
const OPENAI = { kind: 'openai', base_url: 'https://8.8.8.8/', secrets: { api_key: KEY } };

describe('providers of the gateway', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ egress: { allow: ['gateway=127.0.0.0/8:8080'] } });
  });
  afterAll(() => app?.close());

  it('are created, shown without their key, listed and deleted', async () => {
    const put = await app.call('PUT', PATH, OPENAI);
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({
      ...{ name: 'openai', kind: 'openai', base_url: 'https://8.8.8.8', active: true, has_api_key: true },
      api_key_set_at: app.clock.now().toISOString(),
    });
    const got = await app.call('GET', PATH);
    expect(got.body).toEqual(put.body);
    const list = await app.call('GET', '/v1/gateway/providers');
    expect(list.body).toMatchObject({ items: [put.body], has_more: false, next_cursor: null });
    expect(`${put.text}${got.text}${list.text}`).not.toContain(KEY);
    expect((await app.call('PUT', PATH, put.body)).body).toEqual(put.body);
    expect((await app.call('DELETE', PATH)).status).toBe(204);
    expect((await app.call('GET', PATH)).status).toBe(404);
    expect((await app.call('DELETE', PATH)).status).toBe(404);
  });

  it('keep their key at the same origin and require it again for another', async () => {
    await app.call('PUT', PATH, OPENAI);
    const moved = { kind: 'openai', base_url: 'https://8.8.4.4' };
    const refused = await app.call('PUT', PATH, moved);
    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual([
      { field: 'secrets.api_key', message: 'must be entered again, because the provider is now at https://8.8.4.4' },
    ]);
    expect((await app.call('PUT', PATH, { ...OPENAI, secrets: {}, active: false })).body).toMatchObject({
      ...{ has_api_key: true, active: false },
    });
    expect((await app.call('PUT', PATH, { ...moved, secrets: { api_key: KEY } })).status).toBe(200);
  });

  it.each([
    ['http to a public address', { base_url: 'http://8.8.8.8' }, 'base_url'],
    ['http to an address that only webhooks may call', { base_url: 'http://127.0.0.1:9090' }, 'base_url'],
    ['a private address', { base_url: 'https://10.1.2.3' }, 'base_url'],
    ['the metadata address', { base_url: 'http://169.254.169.254' }, 'base_url'],
    ['a query', { base_url: 'https://8.8.8.8/?a=b' }, 'base_url'],
    ['a user name in the URL', { base_url: 'https://me:pw@8.8.8.8/' }, 'base_url'],
    ['a path that ends in /v1', { base_url: 'https://8.8.8.8/v1/' }, 'base_url'],
    ['another scheme', { base_url: 'file:///etc/passwd' }, 'base_url'],
    ['no key', { secrets: {} }, 'secrets.api_key'],
    ['a key with a line break', { secrets: { api_key: 'a\r\nx: y' } }, 'secrets.api_key'],
    ['an unknown kind', { kind: 'gemini' }, 'kind'],
  ])('are refused with %s', async (_what, change, field) => {
    const answer = await app.call('PUT', '/v1/gateway/providers/fresh', { ...OPENAI, ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].field).toBe(field);
    expect(answer.text).not.toContain(KEY);
  });

  it('are refused with names that a path cannot contain', async () => {
    for (const name of ['..', 'A', 'a b', 'a..b', '-a', 'x'.repeat(65)]) {
      const answer = await app.call('PUT', `/v1/gateway/providers/${encodeURIComponent(name)}`, OPENAI);
      expect([400, 404]).toContain(answer.status);
      expect((await app.call('GET', `/v1/gateway/providers/${encodeURIComponent(name)}`)).status).not.toBe(500);
    }
  });

  it('may be called over http if the operator allows the address for the gateway', async () => {
    const local = { kind: 'openai_compatible', base_url: 'http://127.0.0.1:8080/llm/' };
    const answer = await app.call('PUT', '/v1/gateway/providers/local', local);
    expect(answer.body).toMatchObject({
      base_url: 'http://127.0.0.1:8080/llm',
      has_api_key: false,
      api_key_set_at: null,
    });
  });

  it('are audited without their key, and rewrap encrypts it with a new key', async () => {
    await app.call('PUT', '/v1/gateway/providers/audited', OPENAI);
    const log = await app.call('GET', '/v1/audit-log?limit=5');
    expect(log.text).not.toContain(KEY);
    expect(log.body.items[0]).toMatchObject({
      action: 'gateway_provider.created',
      after: { name: 'audited', has_api_key: true, api_key_changed: true },
    });
    const stored = await app.database.asOwner<{ found: number }>(
      `select count(*)::int as found from governance.secrets where owner = 'gateway_providers'`,
    );
    expect(stored[0]?.found).toBeGreaterThan(0);
    expect(await app.app.get(SecretRewrapper).rewrap()).toMatchObject({ unreadable: [] });
  });

  it('of another organization are not found', async () => {
    const { call } = await app.addOrganization();
    await app.call('PUT', '/v1/gateway/providers/ours', OPENAI);
    expect((await call('GET', '/v1/gateway/providers/ours')).status).toBe(404);
    expect((await call('DELETE', '/v1/gateway/providers/ours')).status).toBe(404);
    expect((await call('GET', '/v1/gateway/providers')).body.items).toEqual([]);
  });
});
