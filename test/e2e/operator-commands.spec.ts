import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/bundled-app.js';
import { newDataDir, runToEnd } from '../support/standalone-process.js';
import { createToken } from '../support/seed.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  env = { DATABASE_URL: app.database.url, GOVERNANCE_KEYS: KEYS, GOVERNANCE_DATA_DIR: newDataDir() };
});

afterAll(() => app?.close());

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runToEnd('cli', [...args, '--json'], env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the option --version', () => {
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runToEnd('cli', ['--version'], {})).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe('the commands for organizations', () => {
  it('list them by id and name, and rename one with an audit entry', async () => {
    const { orgId, call } = await app.addOrganization('Before');
    const renamed = await run('org', 'rename', '--org', orgId, '--name', 'After');
    expect(renamed).toEqual({ org_id: orgId, name: 'After' });
    const { organizations } = await run('org', 'list');
    expect(organizations).toEqual(
      expect.arrayContaining([expect.objectContaining({ org_id: orgId, name: 'After', time_zone: 'UTC' })]),
    );
    expect(organizations).toHaveLength(2);
    const [entry] = (await call('GET', '/v1/audit-log?limit=1')).body.items;
    expect(entry).toMatchObject({ action: 'organization.updated', actor_kind: 'cli', after: { name: 'After' } });
    const unknown = await runToEnd('cli', ['org', 'rename', '--org', randomUUID(), '--name', 'X'], env);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no organization')]);
  });
});

describe('the commands that suspend and resume an organization', () => {
  it('take effect on a running replica, and are shown by the list', async () => {
    const { orgId, call } = await app.addOrganization('Late with its bills');
    expect((await call('GET', '/v1/organization')).status).toBe(200);
    const suspended = await run('org', 'suspend', '--org', orgId, '--reason', 'Late');
    expect(suspended).toEqual({ org_id: orgId, name: 'Late with its bills', suspended_at: expect.any(String) });
    await until(async () => (await call('GET', '/v1/organization')).status === 403);
    const { organizations } = await run('org', 'list');
    expect(organizations).toContainEqual(expect.objectContaining({ org_id: orgId, suspended_at: expect.any(String) }));
    // The operator's commands still work for the suspended organization.
    expect((await run('token', 'list', '--org', orgId)).tokens).toHaveLength(1);
    expect(await run('org', 'resume', '--org', orgId)).toMatchObject({ suspended_at: null });
    await until(async () => (await call('GET', '/v1/organization')).status === 200);
  });
});

describe('the commands for tokens', () => {
  it('print the id of a new token, by which it can be revoked, as text and as JSON', async () => {
    const { orgId } = await app.addOrganization();
    const order = ['token', 'create', '--org', orgId, '--role', 'auditor'];
    const asJson = await runCommand([...order, '--expires-in-days', '5', '--json'], env);
    const made = JSON.parse(asJson.stdout);
    const { stdout } = await runCommand(order, env);
    const [text = '', hint = ''] = stdout.split('\n');
    const [, id = 'no id'] = /Its id is (\S+);/.exec(hint) ?? [];
    const use = async (token: string): Promise<number> => (await app.as(token)('GET', '/v1/organization')).status;
    for (const token of [made, { id, token: text }]) {
      expect(await use(token.token)).toBe(200);
      expect(await runCommand(['token', 'revoke', token.id, '--org', orgId], env)).toMatchObject({ code: 0 });
      await until(async () => (await use(token.token)) === 401);
    }
    expect(made).toMatchObject({ org_id: orgId, role: 'auditor', expires_at: expect.stringMatching(/^\d{4}-.*Z$/) });
  });

  it('list all valid tokens, whatever their number', async () => {
    const { orgId } = await app.addOrganization();
    app.clock.advance(1);
    for (let at = 0; at < 101; at++) await createToken(app.app, orgId, 'agent');
    const { tokens } = await run('token', 'list', '--org', orgId);
    expect(tokens).toHaveLength(102);
    expect(tokens[0]).toMatchObject({ role: 'agent', name: 'test agent', last_used_at: null });
    expect(JSON.stringify(tokens)).not.toContain('hash');
  });

  it('revoke one, and a running replica then refuses it', async () => {
    const { orgId, token, call } = await app.addOrganization();
    expect((await call('GET', '/v1/organization')).status).toBe(200);
    const [listed] = (await run('token', 'list', '--org', orgId)).tokens;
    await run('token', 'revoke', listed.id, '--org', orgId);
    await until(async () => (await call('GET', '/v1/organization')).status === 401);
    expect((await run('token', 'list', '--org', orgId)).tokens).toEqual([]);
    const given = await runToEnd('cli', ['token', 'revoke', token, '--org', orgId], env);
    expect(given.code).toBe(1);
    expect(given.stderr).toContain('not the token itself');
    expect(given.stderr).not.toContain(token);
  });
});
