import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';

const MINUTE_MS = 60_000;
const REQUEST = { provider: 'openai', model: 'gpt-4o' };

describe('decisions while the database is down', () => {
  let tests: TestDatabase;
  let proxy: TcpProxy;
  let app: TestApp;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    proxy = await startTcpProxy(Number(new URL(tests.url).port));
    const url = new URL(tests.url);
    url.port = String(proxy.port);
    app = await startTestApp({ testDatabase: { ...tests, url: url.href } });
    await app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
  });

  beforeEach(async () => {
    await proxy.accept();
    await until(async () => (await decide()).status === 200);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  afterAll(async () => {
    await proxy?.accept();
    await app?.close();
    await proxy?.close();
    await tests?.drop();
  });

  function decide(): Promise<Answer> {
    return app.call('POST', '/v1/decisions', { ...REQUEST, user_email: 'ada@example.com' });
  }

  async function loseDatabase(): Promise<void> {
    await proxy.refuse();
    proxy.cut();
  }

  it('continue for a token that was idle for ten minutes when the database goes down', async () => {
    app.clock.advance(10 * MINUTE_MS);
    await loseDatabase();
    expect(await decide()).toMatchObject({ status: 200, body: { allowed: true } });
  });

  it('end five minutes after the last update of revocations', async () => {
    await loseDatabase();
    const now = performance.now.bind(performance);
    let later = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    // One minute less than the limit, because the last poll for changes was not exactly now.
    later = 4 * MINUTE_MS;
    expect((await decide()).status).toBe(200);
    later = 5 * MINUTE_MS;
    const refused = await decide();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('answer 503 with a retry time if they need the database', async () => {
    await loseDatabase();
    const { status, headers, body } = await app.call('GET', '/v1/prices');
    expect([status, body.error]).toEqual([503, 'unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('leave one line in the log for all refused requests of the API', async () => {
    await loseDatabase();
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 10 * MINUTE_MS);
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    for (const path of ['users', 'policies', 'budgets', 'webhooks', 'incidents', 'itsm/connectors', 'policies']) {
      expect((await app.call('GET', `/v1/${path}`)).status).toBe(503);
    }
    const lines = errors.mock.calls.map(([line]) => String(line));
    expect(lines.filter(line => line.includes('the database cannot be reached'))).toHaveLength(1);
  });

  it('continue when the database is back and revocations are updated', async () => {
    const { id } = (await app.call('GET', '/v1/tokens')).body.items[0];
    await loseDatabase();
    await tests.asOwner(`update governance.access_tokens set revoked_at = now() where id = $1`, [id]);
    app.clock.advance(10 * MINUTE_MS);
    expect((await decide()).status).toBe(200);
    await proxy.accept();
    await until(async () => {
      app.clock.advance(1_000);
      return (await decide()).status === 401;
    });
  });
});
