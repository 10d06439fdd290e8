import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launch, newDataDir, runToEnd } from '../../support/standalone-process.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { IS_FULL, newChance, report, sleep } from './chance.js';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const ROWS = IS_FULL ? 400_000 : 60_000;
const KILLS = IS_FULL ? 8 : 3;
const NAME = 'Large';

const FILL = `
insert into governance.usage_event_keys (org_id, occurred_at, id, fingerprint)
select $1, now(), 'event ' || n, '\\x00' from generate_series(1, $2) n`;

const COUNT = `select count(*)::int as count from governance.usage_event_keys where org_id = $1`;

const SUSPENDED = `update governance.organizations set suspended_at = now() - interval '2 minutes' where id = $1`;

let app: TestApp;
let data: string;

beforeAll(async () => {
  app = await startTestApp();
  data = newDataDir();
});

afterAll(async () => {
  rmSync(data, { recursive: true, force: true });
  await app?.close();
});

async function countOf(orgId: string): Promise<number> {
  const [row] = await app.database.asOwner<{ count: number }>(COUNT, [orgId]);
  return row?.count ?? 0;
}

describe('a deletion that is killed', () => {
  it('has the complete export before it deletes the first row, and the next runs complete it', async () => {
    const chance = newChance();
    report('chance', { seed: chance.seed });
    const { orgId } = await app.addOrganization(NAME);
    await app.database.asOwner(FILL, [orgId, ROWS]);
    const env = { DATABASE_URL: app.database.url, GOVERNANCE_KEYS: KEYS, GOVERNANCE_DATA_DIR: data };
    const folder = join(data, 'export');
    const command = ['org', 'delete', '--org', orgId, '--export', folder, '--confirm', NAME, '--json'];
    const active = await runToEnd('cli', command, env);
    expect(active).toMatchObject({ code: 1, stderr: expect.stringContaining('Suspend the organization first') });
    expect(active.stderr).not.toContain('organization.deletion_begun');
    await app.database.asOwner(SUSPENDED, [orgId]);

    for (let kill = 1; kill <= KILLS; kill++) {
      const child = launch('cli', command, env);
      const ended = new Promise(done => child.once('exit', done));
      // Kills the first process during its start or export, and later processes while they delete.
      const goal = kill === 1 ? ROWS + 1 : (ROWS * (KILLS - kill + 1)) / KILLS;
      while (child.exitCode === null && (await countOf(orgId)) >= goal) await sleep(2);
      await sleep(kill === 1 ? 500 + chance.below(1_500) : chance.below(20));
      child.kill('SIGKILL');
      await ended;
    }

    const completed = await runToEnd('cli', command, env);
    expect(completed).toMatchObject({ code: 0 });
    expect(JSON.parse(completed.stdout)).toMatchObject({ org_id: orgId, name: NAME, export: folder });
    expect(await countOf(orgId)).toBe(0);
    const lines = readFileSync(join(folder, 'tables', 'usage_event_keys.jsonl'), 'utf8').split('\n');
    expect(new Set(lines.filter(line => line !== '')).size).toBe(ROWS);
    const left = await runToEnd('cli', ['org', 'list', '--json'], env);
    expect(left.stdout).not.toContain(orgId);
    // The log of the process says who deleted which organization. The audit log of the organization is gone.
    const told = completed.stderr.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []));
    expect(told[0]).toMatchObject({ event: 'organization.deletion_begun', org_id: orgId, name: NAME, export: folder });
    expect(told.at(-1)).toMatchObject({ event: 'organization.deleted', org_id: orgId, by: expect.any(String) });
  });

  it('is refused for the organization of GOVERNANCE_ORG_ID, which the app would create again', async () => {
    const env = { DATABASE_URL: app.database.url, GOVERNANCE_KEYS: KEYS, GOVERNANCE_ORG_ID: app.orgId };
    const command = [
      'org',
      'delete',
      '--org',
      app.orgId,
      '--export',
      join(data, 'own'),
      '--confirm',
      'Test organization',
    ];
    const refused = await runToEnd('cli', command, { ...env, GOVERNANCE_DATA_DIR: data });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Unset it first') });
  });
});
