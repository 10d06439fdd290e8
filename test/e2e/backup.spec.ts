import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../apps/standalone/embedded-postgres.js';
import { makeDataFolder } from '../support/data-folder.js';
import { blocksOf } from '../docs/markdown.js';
import { HAS_POSTGRES_15, POSTGRES_15_BIN, startPostgres15, type DebianPostgres } from '../support/debian-postgres.js';
import { describeWhere } from '../support/describe-where.js';
import { runCommand, startInProcess } from '../support/bundled-app.js';
import { until } from '../support/webhooks.js';

const ROOT = join(import.meta.dirname, '..', '..');
const CLI = `node ${join(ROOT, 'dist', 'apps', 'standalone', 'cli.js')}`;
const KEYS = `k1:${Buffer.alloc(32, 4).toString('base64')}`;
const TOKEN = 'f'.repeat(40);
/** No process listens at this address, so a delivery to it waits for its next attempt. */
const NOBODY = 'https://127.0.0.1:9/';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

/** The block of the guide with a mark. */
function guide(mark: string): string {
  const block = blocksOf('docs/operate.md').find(({ marks }) => marks[0] === mark);
  return block?.code.replaceAll("'…'", "'secret'") ?? `the guide has no block ${mark}`;
}

/** The URL of a database, for a role of the guide or for the superuser. */
function onServer(server: string, database: string, role?: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  if (role !== undefined) [url.username, url.password] = [role, 'secret'];
  return url.href;
}

// Needs pg_dump, which the embedded server does not include.
describeWhere(!HAS_POSTGRES_15 && 'no PostgreSQL 15', 'a backup on PostgreSQL 15, by the commands of the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'governance-backup-'));
  let server: DebianPostgres;

  const urlOf = (database: string, role?: string): string => onServer(server.url, database, role);

  async function asAdministrator(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  function run(mark: string, more: Record<string, string> = {}): string {
    const path = `${POSTGRES_15_BIN}:${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH']}`;
    const env = {
      PATH: path,
      HOME: folder,
      ADMIN_URL: server.url,
      BACKUP_URL: urlOf('governance', 'governance_backup'),
      RESTORE_URL: urlOf('governance_restored'),
      RESTORED_LOGIN_URL: urlOf('governance_restored', 'governance_login'),
      GOVERNANCE_KEYS: KEYS,
      ...more,
    };
    const script = guide(mark).replaceAll('npm run -s cli --', CLI);
    return execFileSync('bash', ['-euc', script], { cwd: folder, env, encoding: 'utf8' });
  }

  const envOf = (database: string) => ({
    DATABASE_URL: urlOf(database, 'governance_login'),
    GOVERNANCE_KEYS: KEYS,
    GOVERNANCE_ADMIN_TOKEN: TOKEN,
    GOVERNANCE_MIGRATIONS: 'check',
    GOVERNANCE_EGRESS_ALLOW: 'webhooks=127.0.0.1',
  });

  /** Starts the app on the copy with the variables of the guide. */
  function inspectCopy(): ReturnType<typeof startInProcess> {
    const typed = [...guide('inspect-copy').matchAll(/\b([A-Z_]+)=(\S*)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const { DATABASE_URL: url, ...settings } = Object.fromEntries(typed) as Record<string, string>;
    expect(url).toBe('"$RESTORED_LOGIN_URL"');
    return startInProcess({ ...envOf('governance_restored'), ...settings, PORT: '0' });
  }

  /** Makes all waiting deliveries of the copy due, and returns how many attempts were logged so far. */
  async function attemptsOfCopy(): Promise<number> {
    const copy = new pg.Client({ connectionString: urlOf('governance_restored') });
    await copy.connect();
    try {
      const attempts = await copy.query<{ count: number }>(
        'select count(*)::int as count from governance.webhook_attempts',
      );
      await copy.query(`update governance.tasks set due_at = now() where queue = 'webhook'`);
      return attempts.rows[0]?.count ?? 0;
    } finally {
      await copy.end();
    }
  }

  beforeAll(async () => {
    server = await startPostgres15();
    run('create-database');
    await asAdministrator(guide('roles-15'));
    await asAdministrator(guide('backup-role'));
    const urls = { ...envOf('governance'), GOVERNANCE_MIGRATION_URL: urlOf('governance', 'governance_owner') };
    const { code, stderr } = await runCommand(['migrate'], urls);
    if (code !== 0) throw new Error(stderr);
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('can be restored into a second database whose checks pass and whose app works without sending', async () => {
    const app = await startInProcess(envOf('governance'));
    for (const [path, body] of Object.entries({
      policies: { name: 'Kept', action: 'alert' },
      users: { email: 'ada@example.com', name: 'Ada' },
      webhooks: { url: NOBODY, events: ['policy_violation'] },
      decisions: { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' },
    })) {
      const sent = { method: 'POST', headers: AUTHORIZED, body: JSON.stringify(body) };
      expect((await fetch(`${app.url}/v1/${path}`, sent)).ok).toBe(true);
    }
    const before = await runCommand(['audit', 'verify'], envOf('governance'));
    run('backup');
    await app.stop(0);
    run('restore');
    const checks = run('restore-check');
    expect(checks).toMatch(/^ok {4}migrations: /m);
    expect(checks).toMatch(/^ok {4}key bytes: /m);
    expect(checks).not.toMatch(/^FAIL/m);
    // The copy has the same rows as the original.
    expect(checks).toContain(before.stdout.trim());
    const migration = { GOVERNANCE_MIGRATION_URL: urlOf('governance_restored', 'governance_owner') };
    const migrated = await runCommand(['migrate'], { ...envOf('governance_restored'), ...migration });
    expect(migrated).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' });
    const waiting = run('count-waiting');
    expect(waiting).toMatch(/^ +1$/m);
    const attempts = await attemptsOfCopy();
    const copy = await inspectCopy();
    const policies = await fetch(`${copy.url}/v1/policies`, { headers: AUTHORIZED });
    expect(await policies.json()).toMatchObject({ items: [{ name: 'Kept' }] });
    expect((await fetch(`${copy.url}/health/ready`)).status).toBe(200);
    await copy.stop(0);
    expect(run('count-waiting')).toBe(waiting);
    expect(await attemptsOfCopy()).toBe(attempts);
    // The delivery was due all the time. Once the copy has workers, it attempts the delivery.
    const replacement = await startInProcess(envOf('governance_restored'));
    await until(async () => (await attemptsOfCopy()) > attempts);
    await replacement.stop(0);
    run('drop-copy');
  });

  it('can be restored into PostgreSQL 18, where the same app works', async () => {
    const data = makeDataFolder('governance-restore');
    const newer = await startEmbeddedPostgres(data, { durable: false });
    const on18 = (database: string, role?: string): string => onServer(newer.url, database, role);
    try {
      // This test restores the dump of the previous test.
      const admin = new pg.Client({ connectionString: newer.url });
      await admin.connect();
      // Another server has no original database, so the guide leaves out the last statement.
      await admin.query(guide('roles').replace(/^GRANT CREATE .*\n/m, ''));
      await admin.end();
      const restored = on18('governance_restored', 'governance_login');
      run('restore', { ADMIN_URL: newer.url, RESTORE_URL: on18('governance_restored') });
      expect(run('restore-check', { RESTORED_LOGIN_URL: restored })).not.toMatch(/^FAIL/m);
      const env = { ...envOf('governance_restored'), DATABASE_URL: restored, GOVERNANCE_WORKERS: 'false' };
      const copy = await startInProcess(env);
      const policies = await fetch(`${copy.url}/v1/policies`, { headers: AUTHORIZED });
      expect(await policies.json()).toMatchObject({ items: [{ name: 'Kept' }] });
      await copy.stop(0);
    } finally {
      await newer.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('cannot be created as a role of the app', () => {
    const dump = (): string =>
      execFileSync(join(POSTGRES_15_BIN, 'pg_dump'), ['--schema=governance', urlOf('governance', 'governance_owner')], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(dump).toThrow(/row-level security/);
  });
});
