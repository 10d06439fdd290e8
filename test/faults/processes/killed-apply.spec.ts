import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launch, runToEnd } from '../../support/standalone-process.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { IS_FULL, newChance, report, sleep } from './chance.js';

const POLICIES = IS_FULL ? 600 : 120;
const BUDGETS = 20;
const KILLS = IS_FULL ? 12 : 3;
const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

// An object is consistent if its row, its history and its audit entry agree.
const POLICIES_BY_PARTS = `
select p.name, p.action,
  (select count(*)::int from governance.policy_versions v where v.org_id = p.org_id and v.policy_id = p.id) as versions,
  (select count(*)::int from governance.audit_log a
     where a.org_id = p.org_id and a.resource_id = p.id::text and a.after ->> 'action' = p.action) as audited
from governance.policies p where p.org_id = $1`;

const STRAYS = `
select count(*)::int as count from governance.audit_log a where a.org_id = $1 and a.action in ('policy.created', 'budget.created')
  and not exists (select from governance.policies p where p.org_id = a.org_id and p.id::text = a.resource_id)
  and not exists (select from governance.budgets b where b.org_id = a.org_id and b.id::text = a.resource_id)`;

const COUNT = `select (select count(*) from governance.policies where org_id = $1)::int as count`;

let app: TestApp;
let folder: string;

beforeAll(async () => {
  app = await startTestApp();
  folder = mkdtempSync(join(tmpdir(), 'governance-apply-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app?.close();
});

describe('an apply that is killed', () => {
  it('changes each object completely or not at all, and the next apply completes it', async () => {
    const chance = newChance();
    report('chance', { seed: chance.seed });
    const { orgId } = app;
    const path = join(folder, 'governance.yaml');
    const env = { DATABASE_URL: app.database.url, GOVERNANCE_KEYS: KEYS, GOVERNANCE_DATA_DIR: folder };
    writeFileSync(path, fileOf('block'));
    for (let kill = 1; kill <= KILLS; kill++) {
      const goal = Math.floor((POLICIES * kill) / (KILLS + 1));
      const child = launch('cli', ['apply', path, '--org', orgId], env);
      const ended = new Promise(done => child.once('exit', done));
      while (child.exitCode === null && (await countOf(orgId)) < goal) await sleep(2);
      await sleep(chance.below(20));
      child.kill('SIGKILL');
      await ended;
      // Reads the consistent state, because the server rolls back the transactions of closed connections first.
      expect(await faultsOf(orgId)).toEqual([]);
    }
    const partly = await countOf(orgId);
    expect(partly).toBeGreaterThan(0);

    const completed = await runToEnd('cli', ['apply', path, '--org', orgId, '--json'], env);
    expect(completed).toMatchObject({ code: 0, stderr: '' });
    const { counts } = JSON.parse(completed.stdout);
    expect(counts).toMatchObject({ created: POLICIES + BUDGETS - partly, unchanged: partly, changed: 0 });
    expect(await faultsOf(orgId)).toEqual([]);

    const exported = join(folder, 'exported.yaml');
    expect(await runToEnd('cli', ['export', '--org', orgId, '--output', exported], env)).toMatchObject({ code: 0 });
    const again = await runToEnd('cli', ['apply', exported, '--org', orgId, '--prune', '--json'], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ objects: [] });
    const twice = await runToEnd('cli', ['export', '--org', orgId], env);
    expect(twice.stdout).toBe(readFileSync(exported, 'utf8'));
    const verified = await runToEnd('cli', ['audit', 'verify', '--org', orgId], env);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('unbroken') });
  });
});

function fileOf(action: string): string {
  const policies = Array.from({ length: POLICIES }, (_, at) => `- { name: Policy ${at}, action: ${action} }`);
  const budget = 'scope: organization, amount_usd: 10, period: daily, enforcement: notify';
  const budgets = Array.from({ length: BUDGETS }, (_, at) => `- { name: Budget ${at}, ${budget} }`);
  return ['version: 1', 'policies:', ...policies, 'budgets:', ...budgets, ''].join('\n');
}

async function countOf(orgId: string): Promise<number> {
  const [row] = await app.database.asOwner<{ count: number }>(COUNT, [orgId]);
  return row?.count ?? 0;
}

async function faultsOf(orgId: string): Promise<unknown[]> {
  const policies = await app.database.asOwner<{ versions: number; audited: number }>(POLICIES_BY_PARTS, [orgId]);
  const torn = policies.filter(({ versions, audited }) => versions !== 1 || audited !== 1);
  const [strays] = await app.database.asOwner<{ count: number }>(STRAYS, [orgId]);
  return strays?.count === 0 ? torn : [...torn, strays];
}
