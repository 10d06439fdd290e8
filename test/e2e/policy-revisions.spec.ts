import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PolicySnapshots } from '../../libs/policy/policies/policy-snapshots.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { openPolicyOrganization, type PolicyOrganization } from './policy-history.support.js';

let app: TestApp;
/** Another replica, which only makes decisions. */
let decider: TestApp;

beforeAll(async () => {
  app = await startTestApp({ decisions: { unknownUser: 'evaluate' } });
  decider = await startTestApp({ decisions: { unknownUser: 'evaluate' }, testDatabase: app.database });
});

afterAll(async () => {
  await decider?.close();
  await app?.close();
});

/** The enabled policies after each revision, as `id version`, computed from the history alone. */
async function rebuilt(orgId: string): Promise<(revision: number) => string[]> {
  const rows = await app.database.asOwner<{ revision: string; id: string; version: number; there: boolean }>(
    `select revision, policy_id as id, version, enabled and change <> 'deleted' as there
     from governance.policy_versions where org_id = $1 order by revision`,
    [orgId],
  );
  return revision => {
    const last = new Map(rows.filter(row => Number(row.revision) <= revision).map(row => [row.id, row]));
    return [...last.values()]
      .filter(({ there }) => there)
      .map(({ id, version }) => `${id} ${version}`)
      .toSorted();
  };
}

/** Creates, changes, enables, disables, deletes and restores policies, several in parallel. */
async function changePolicies({ add, call }: PolicyOrganization, rounds: number): Promise<void> {
  const ids: string[] = [];
  for (let at = 0; at < 6; at++) ids.push((await add({ action: 'allow' })).id);
  const change = async (at: number): Promise<void> => {
    const path = `/v1/policies/${ids[at % ids.length]}`;
    const acts = [
      () => call('PUT', path, { description: `${at}` }),
      () => call('PUT', path, { enabled: at % 2 === 0 }),
      () => call('DELETE', path),
      () => call('POST', `${path}/restore`, { version: 1 }),
    ];
    await acts[Math.floor(at / 3) % acts.length]?.();
  };
  for (let at = 0; at < rounds; at += 3) await Promise.all([change(at), change(at + 1), change(at + 2)]);
}

describe('the revision of the policies', () => {
  it('identifies exactly the loaded set of policies, even if changes and loads are concurrent', async () => {
    const org = await openPolicyOrganization(app);
    const snapshots = decider.app.get(PolicySnapshots);
    const loaded: { revision: number; policies: string[] }[] = [];
    const progress = { isOver: false };
    const changing = changePolicies(org, 90).finally(() => (progress.isOver = true));
    while (!progress.isOver) {
      const { revision = -1, compiled } = await snapshots.refresh(org.orgId);
      const policies = compiled.ranked.map(({ policy }) => `${policy.id} ${policy.version}`).toSorted();
      loaded.push({ revision, policies });
    }
    await changing;
    const at = await rebuilt(org.orgId);
    expect(loaded.map(({ revision, policies }) => ({ revision, policies }))).toEqual(
      loaded.map(({ revision }) => ({ revision, policies: at(revision) })),
    );
    expect(new Set(loaded.map(({ revision }) => revision)).size).toBeGreaterThan(10);
  });

  it('is recorded with each decision: the policies of its record are those of the revision', async () => {
    const org = await openPolicyOrganization(app);
    const token = (await org.call('POST', '/v1/tokens', { name: 'gateway', role: 'agent' })).body.token;
    const ask = decider.as(token);
    const progress = { isOver: false };
    const changing = changePolicies(org, 60).finally(() => (progress.isOver = true));
    while (!progress.isOver) {
      await ask('POST', '/v1/decisions', { user_email: 'a@example.com', provider: 'p', model: 'm' });
    }
    await changing;
    // Another replica records its decisions within 50 ms.
    await new Promise(done => setTimeout(done, 200));
    const at = await rebuilt(org.orgId);
    const rows = await app.database.asOwner<{ revision: string; policies: { id: string; version: number }[] }>(
      'select policy_revision as revision, policies from governance.decisions where org_id = $1',
      [org.orgId],
    );
    // No policy has conditions, so every enabled policy matched.
    expect(rows.map(({ policies }) => policies.map(({ id, version }) => `${id} ${version}`).toSorted())).toEqual(
      rows.map(({ revision }) => at(Number(revision))),
    );
    expect(new Set(rows.map(({ revision }) => revision)).size).toBeGreaterThan(5);
  });
});
