import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/bundled-app.js';
import { createTestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';
import { newDataDir, runToEnd, startStandalone, type StandaloneProcess } from '../support/standalone-process.js';

const KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`;

describe('the bundled app', () => {
  const running: StandaloneProcess[] = [];
  const dataDir = newDataDir();

  async function start(env: Record<string, string> = {}): Promise<StandaloneProcess> {
    const app = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir, ...env });
    running.push(app);
    return app;
  }

  async function get(app: StandaloneProcess, path: string, token?: string): Promise<Response> {
    return fetch(app.url + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  }

  afterEach(async () => {
    for (const app of running.splice(0)) if (!app.hasEnded()) await app.end('SIGTERM');
  });

  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('writes its first token to a file that the log names, and accepts it; later boots name no file and keep the first token', async () => {
    const first = await start();
    expect(first.output()).not.toContain('gov_');
    expect(first.tokenFile).toBe(join(dataDir, 'admin-token'));
    expect(statSync(join(dataDir, 'admin-token')).mode & 0o777).toBe(0o600);
    expect(first.token).toMatch(/^gov_/);
    expect((await get(first, '/v1/policies', first.token)).status).toBe(200);
    expect((await first.end('SIGTERM')).code).toBe(0);

    const second = await start();
    expect(second.token).toBeUndefined();
    expect(second.orgId).toBe(first.orgId);
    expect((await get(second, '/v1/policies', first.token)).status).toBe(200);
  });

  describe('while it runs', () => {
    let app: StandaloneProcess;

    beforeAll(async () => {
      app = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir });
    });

    afterAll(() => app?.end('SIGTERM'));

    it('serves probes without a credential, the OpenAPI document and its reference page', async () => {
      expect(await (await get(app, '/health/live')).json()).toEqual({ status: 'ok' });
      expect(await (await get(app, '/health/ready')).json()).toEqual({ status: 'ok' });
      expect(await (await get(app, '/openapi.json')).json()).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
      expect((await get(app, '/reference')).status).toBe(200);
      expect(await (await get(app, '/nowhere')).json()).toMatchObject({
        error: 'not_found',
        request_id: expect.any(String),
      });
    });

    it('refuses a second start with the same data folder, with the reason', async () => {
      const second = await runToEnd('main', [], { GOVERNANCE_DATA_DIR: dataDir, PORT: '0' });
      expect(second.code).toBe(1);
      expect(second.stderr).toMatch(/Another instance \(process \d+\) runs on/);
    });

    it('lets the command line find the database of the running app', async () => {
      const env = { GOVERNANCE_DATA_DIR: dataDir };
      const made = await runToEnd('cli', ['org', 'create', '--name', 'Second', '--json'], env);
      const { org_id: orgId, token } = JSON.parse(made.stdout) as { org_id: string; token: string };
      expect(orgId).not.toBe(app.orgId);
      expect((await get(app, '/v1/policies', token)).status).toBe(200);

      const [other, migrated, doctor, requeue, wrong, audit] = await Promise.all(
        [
          ['token', 'create', '--org', orgId, '--role', 'auditor', '--json'],
          ['migrate', '--json'],
          ['doctor', '--json'],
          ['requeue', '--json'],
          ['requeue', '--queue', 'x'],
          ['audit', 'verify', '--json'],
        ].map(args => runToEnd('cli', args, env)),
      );
      expect((await get(app, '/v1/policies', JSON.parse(other!.stdout).token)).status).toBe(200);
      expect(JSON.parse(migrated!.stdout)).toMatchObject({ applied: [] });
      expect(JSON.parse(doctor!.stdout)).toMatchObject({ ok: true });
      expect(JSON.parse(requeue!.stdout)).toEqual({ requeued: {} });
      expect(wrong).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^queue: must be one of: .*listener, .*webhook/),
      });
      expect(JSON.parse(audit!.stdout)).toMatchObject({ ok: true });
    });

    it('checks an audit log against a stored row, and names the faults', async () => {
      const env = { GOVERNANCE_DATA_DIR: dataDir };
      const expecting = (...args: string[]) => runCommand(['audit', 'verify', '--org', app.orgId, ...args], env);
      const [, anchor = ''] = /unbroken, head (\S+)/.exec((await expecting()).stdout) ?? [];
      expect(anchor).toMatch(/^\d+:[0-9a-f]{64}$/);
      const other = `1:${'0'.repeat(64)}`;
      await runCommand(['org', 'create', '--name', 'Another'], env);
      const [kept, wrong, unclear, many] = await Promise.all([
        expecting('--expect', anchor),
        expecting('--expect', other),
        expecting('--expect', '1'),
        runCommand(['audit', 'verify', '--expect', other], env),
      ]);
      expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('unbroken') });
      expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('another hash than expected') });
      expect(unclear).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('expect: must be the number of a row'),
      });
      expect(many).toMatchObject({ code: 1, stderr: expect.stringContaining('add --org <id>') });
    });

    it('serves /metrics only if metrics are switched on', async () => {
      expect((await get(app, '/metrics')).status).toBe(404);
    });
  });

  it('exits with 0 on SIGTERM, within its time limit', async () => {
    const app = await start();
    const { code, milliseconds } = await app.end('SIGTERM');
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(15_000);
  });

  it('starts again after kill -9, with all committed data', async () => {
    const app = await start({ GOVERNANCE_ADMIN_TOKEN: 'a'.repeat(40) });
    await fetch(`${app.url}/v1/policies`, {
      method: 'POST',
      headers: { authorization: `Bearer ${'a'.repeat(40)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Kept', action: 'alert' }),
    });
    await app.end('SIGKILL');
    const again = await start();
    const page: unknown = await (await get(again, '/v1/policies', 'a'.repeat(40))).json();
    expect(page).toMatchObject({ items: [{ name: 'Kept' }] });
  });

  it('refuses an external database without keys, and says how to create one', async () => {
    const refused = await runToEnd('main', [], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/GOVERNANCE_KEYS is required with DATABASE_URL.*openssl rand/);
  });

  it('runs with a given database, organization and token', async () => {
    const database = await createTestDatabase();
    const orgId = '11111111-1111-4111-8111-111111111111';
    const token = 'operator-given-token-of-40-characters-xx';
    const env = { DATABASE_URL: database.url, GOVERNANCE_KEYS: KEYS, GOVERNANCE_ORG_ID: orgId };
    const app = await startStandalone({ ...env, GOVERNANCE_ADMIN_TOKEN: token, HOST: '0.0.0.0' });
    try {
      expect(app.orgId).toBe(orgId);
      await until(async () => app.output().includes('lets other machines reach this app over plain HTTP'));
      expect(app.output()).not.toContain(token);
      expect((await get(app, '/v1/users', token)).status).toBe(200);
    } finally {
      await app.end('SIGTERM');
      await database.drop();
    }
  });

  it('counts decisions, usage and answers for Prometheus', async () => {
    const token = 'b'.repeat(40);
    const app = await start({ GOVERNANCE_METRICS: 'true', GOVERNANCE_ADMIN_TOKEN: token });
    const send = (path: string, body: object): Promise<Response> =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await send('/v1/decisions', { user_email: 'nobody@example.com', provider: 'openai', model: 'gpt-4o' });
    await send('/v1/usage/events', { events: [{ id: 'not an event' }] });
    await get(app, '/v1/policies/00000000-0000-4000-8000-000000000000', token);
    const page = await (await get(app, '/metrics')).text();
    expect(page).toMatch(/governance_decisions_total\{[^}]*governance_reason="unknown_user"[^}]*\} 1/);
    expect(page).toMatch(/governance_usage_events_total\{[^}]*governance_outcome="rejected"[^}]*\} 1/);
    expect(page).toMatch(/governance_decision_records_waiting\S* \d/);
    expect(page).toMatch(/governance_tasks_oldest_age_seconds\{[^}]*governance_queue="webhook"[^}]*\} 0/);
    expect(page).toMatch(/db_client_connection_count\{[^}]*db_client_connection_state="used"[^}]*\} \d/);
    expect(page).toMatch(/# UNIT process_memory_usage_bytes bytes\n/);
    expect(page).toMatch(/http_server_request_duration_seconds_count\{[^}]*http_route="\/v1\/policies\/:id"[^}]*\} 1/);
  });

  it('names the invalid variable', async () => {
    const [refused, days, share, short] = await Promise.all([
      runToEnd('main', [], { GOVERNANCE_DATA_DIR: dataDir, PORT: 'http' }),
      runToEnd('main', [], { GOVERNANCE_DATA_DIR: dataDir, GOVERNANCE_DECISION_RETENTION_DAYS: '0' }),
      runToEnd('main', [], { GOVERNANCE_DATA_DIR: dataDir, GOVERNANCE_DECISION_SAMPLE: '10%' }),
      runToEnd('main', [], { GOVERNANCE_DATA_DIR: dataDir, GOVERNANCE_ADMIN_TOKEN: 'too-short' }),
    ]);
    expect(refused.stderr).toContain('PORT must be a whole number from 0 to 65535');
    expect(days.stderr).toContain('GOVERNANCE_DECISION_RETENTION_DAYS must be a whole number from 1 to 3650');
    expect(share.stderr).toContain('GOVERNANCE_DECISION_SAMPLE must be a number from 0 to 1');
    expect(short.stderr).toContain('GOVERNANCE_ADMIN_TOKEN must have 32 characters or more');
    expect(short.stderr).not.toContain('too-short');
  });
});
