import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OrganizationService } from '#access';
import { ChangeFeed } from '#database';
import { GovernanceOperations, type DeletionReport, type ExportManifest } from '#governance';
import { TokenUse } from '../../libs/access/tokens/token-use.js';
import { fillEveryTable } from '../support/fill-every-table.js';
import { createToken } from '../support/seed.js';
import { newDataDir } from '../support/standalone-process.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';

const NAME = 'To be deleted';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  app = await startTestApp(LOOPBACK_ALLOWED);
  folder = newDataDir();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app?.close();
});

const operations = () => app.app.get(GovernanceOperations);
const remove = (orgId: string, name: string, confirm = NAME, terms = {}): Promise<DeletionReport> =>
  operations().deleteOrganization(orgId, { folder: join(folder, name), confirm, by: 'op', ...terms });
const manifestIn = (name: string): ExportManifest =>
  JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as ExportManifest;
const linesOf = (name: string, table: string): Record<string, unknown>[] =>
  readFileSync(join(folder, name, 'tables', `${table}.jsonl`), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>);

async function suspendForLong(orgId: string): Promise<void> {
  await operations().suspendOrganization(orgId);
  app.clock.advance(61_000);
}

/** Rows of an organization by table, without empty tables. */
async function rowsOf(orgId: string): Promise<Record<string, number>> {
  const tables = await app.database.asOwner<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'governance'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name, column } of [
    { name: 'organizations', column: 'id' },
    ...tables.map(({ name }) => ({ name, column: 'org_id' })),
  ]) {
    const [row] = await app.database.asOwner<{ count: number }>(
      `select count(*)::int as count from governance.${name} where ${column} = $1`,
      [orgId],
    );
    if (row && row.count > 0) counts[name] = row.count;
  }
  return counts;
}

async function addFilled(): Promise<{ orgId: string; token: string; call: Call }> {
  const added = await app.addOrganization(NAME);
  await fillEveryTable(app, added.orgId, added.call);
  return added;
}

const endCalls = (orgId: string) =>
  app.database.asOwner(`delete from governance.open_calls where org_id = $1`, [orgId]);

describe('the deletion of an organization', () => {
  it('exports every row first, leaves none, and changes no other organization', async () => {
    const { orgId, token } = await addFilled();
    const { signing_secret: secret } = (
      await app.as(token)('POST', '/v1/webhooks', { url: 'https://127.0.0.1:9/secret', enabled: false })
    ).body;
    const neighbor = await addFilled();
    await suspendForLong(orgId);
    await expect(remove(orgId, 'first')).rejects.toThrow('calls to providers have not ended');
    await endCalls(orgId);
    await operations().suspendOrganization(neighbor.orgId);
    // The records keep waiting, because another process may have the sink of this stream.
    await expect(remove(orgId, 'first', NAME, { waitMs: 0 })).rejects.toThrow('wait for the SIEM (stream fill)');
    const [before, others] = [await rowsOf(orgId), await rowsOf(neighbor.orgId)];

    const report = await remove(orgId, 'first', NAME, { dropUnsent: true });
    expect(await rowsOf(orgId)).toEqual({});
    expect(await rowsOf(neighbor.orgId)).toEqual(others);

    // The deletion itself adds one row to the audit log before the export.
    const { left_out: leftOut, files, organization } = manifestIn('first');
    expect(organization).toEqual({ id: orgId, name: NAME });
    const exported = Object.fromEntries(files.flatMap(({ table, rows }) => (table && rows ? [[table, rows]] : [])));
    const all = { ...before, audit_log: (before['audit_log'] ?? 0) + 1 };
    const expected = Object.fromEntries(Object.entries(all).filter(([table]) => !(table in leftOut)));
    expect(exported).toEqual(expected);
    expect(report.deleted).toEqual(all);
    expect(Object.keys(leftOut).toSorted()).toEqual([
      'change_marks',
      'configuration',
      'secrets',
      'usage_touched_hours',
    ]);
    for (const { path, table, rows, bytes, sha256 } of files) {
      const content = readFileSync(join(folder, 'first', path));
      expect({ path, bytes, sha256 }).toEqual({ path, bytes: content.length, sha256: sha256Of(content) });
      if (table !== undefined) expect(linesOf('first', table)).toHaveLength(rows ?? -1);
    }
    expect(statSync(join(folder, 'first', 'manifest.json')).mode & 0o777).toBe(0o600);

    const log = linesOf('first', 'audit_log');
    expect(log.at(-1)).toMatchObject({ action: 'organization.deletion_begun', actor_name: 'op' });
    const [event] = linesOf('first', 'events');
    expect(event).toMatchObject({ body: { type: expect.any(String) } });
    // The configuration is left out, because two webhooks of the organization have the same URL.
    expect(leftOut['configuration']).toContain('webhooks');
    expect(secret).toEqual(expect.any(String));
    for (const hidden of [token, secret, hashOf(token).toString('hex')]) expect(textOf('first')).not.toContain(hidden);
  });

  it('makes replicas forget its tokens, and still write the last use of other tokens', async () => {
    const { orgId, call } = await app.addOrganization(NAME);
    expect((await call('GET', '/v1/organization')).status).toBe(200);
    const neighbor = await app.addOrganization();
    await suspendForLong(orgId);
    await app.app.get(ChangeFeed, { strict: false }).refresh();
    await remove(orgId, 'forgotten', NAME);
    await app.app.get(ChangeFeed, { strict: false }).refresh();
    expect((await call('GET', '/v1/organization')).status).toBe(401);
    const use = app.app.get(TokenUse, { strict: false });
    use.note(orgId, randomUUID(), app.clock.now().getTime());
    expect((await neighbor.call('GET', '/v1/organization')).status).toBe(200);
    await use.flush();
    const uses = await app.database.asOwner<{ at: Date }>(
      `select last_used_at as at from governance.access_tokens where org_id = $1`,
      [neighbor.orgId],
    );
    expect(uses).toEqual([{ at: app.clock.now() }]);
  });

  it('refuses its tokens with 403 while it is suspended and 401 afterwards, and starts empty when it is created again', async () => {
    const { orgId, call } = await app.addOrganization(NAME);
    expect((await call('GET', '/v1/users')).status).toBe(200);
    await suspendForLong(orgId);
    expect(await call('GET', '/v1/users')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    await remove(orgId, 'again');
    await app.app.get(ChangeFeed, { strict: false }).refresh();
    expect(await call('GET', '/v1/users')).toMatchObject({ status: 401, body: { error: 'unauthorized' } });

    // When this replica last updated its cache, an organization with this id was suspended.
    await app.app.get(OrganizationService).ensure('Second life', { id: orgId });
    const anew = app.as(await createToken(app.app, orgId, 'admin'));
    expect(await anew('GET', '/v1/organization')).toMatchObject({ status: 200, body: { name: 'Second life' } });
    expect(await anew('POST', '/v1/decisions', { user_id: randomUUID(), model: 'm', provider: 'p' })).toMatchObject({
      status: 200,
    });
    expect((await call('GET', '/v1/users')).status).toBe(401);
  });

  it.each([
    ['is active', async () => undefined, NAME, 'Suspend the organization first'],
    [
      'was suspended a moment ago',
      async (id: string) => void (await operations().suspendOrganization(id)),
      NAME,
      'one minute',
    ],
    ['has another name', suspendForLong, 'Other', 'is named "To be deleted"'],
  ])('is refused and changes nothing if the organization %s', async (_case, prepare, confirm, message) => {
    const { orgId } = await app.addOrganization(NAME);
    await prepare(orgId);
    const before = await rowsOf(orgId);
    await expect(remove(orgId, 'refused', confirm)).rejects.toThrow(message);
    expect(await rowsOf(orgId)).toEqual(before);
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it('is refused if the folder has other files, and the organization can then be resumed', async () => {
    const { orgId, call } = await app.addOrganization(NAME);
    await suspendForLong(orgId);
    const other = newDataDir();
    writeFileSync(join(other, 'mine.txt'), 'mine');
    const order = { folder: other, confirm: NAME };
    await expect(operations().deleteOrganization(orgId, order)).rejects.toThrow('is not empty');
    expect(readdirSync(other)).toEqual(['mine.txt']);
    await operations().resumeOrganization(orgId);
    expect((await call('GET', '/v1/organization')).status).toBe(200);
  });

  it('is refused with the name of a table in the schema that this version does not know', async () => {
    const { orgId } = await app.addOrganization(NAME);
    await suspendForLong(orgId);
    await app.database.asOwner('create table governance.forgotten (org_id uuid primary key)');
    await expect(remove(orgId, 'unknown')).rejects.toThrow('does not know the tables forgotten');
    await app.database.asOwner('drop table governance.forgotten');
    expect(await rowsOf(orgId)).toMatchObject({ organizations: 1 });
  });

  it('continues only the export of its own earlier run', async () => {
    const { orgId, call } = await app.addOrganization(NAME);
    await call('POST', '/v1/policies', { name: 'Watch', action: 'alert' });
    const configuration = (await call('GET', '/v1/configuration')).body;
    await suspendForLong(orgId);
    const stop = (): never => {
      throw new Error('stopped');
    };
    const order = { folder: join(folder, 'stopped'), confirm: NAME };
    await expect(operations().deleteOrganization(orgId, { ...order, progress: stop })).rejects.toThrow('stopped');
    await expect(operations().resumeOrganization(orgId)).rejects.toThrow('The deletion of this organization has begun');
    await expect(remove(orgId, 'elsewhere')).rejects.toThrow('Name that folder again');
    expect(JSON.parse(readFileSync(join(folder, 'stopped', 'configuration.json'), 'utf8'))).toEqual(configuration);
    const path = join(folder, 'stopped', 'tables', 'audit_log.jsonl');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `${text} `);
    await expect(remove(orgId, 'stopped')).rejects.toThrow('audit_log.jsonl of the export is not as it was written');
    writeFileSync(path, text);
    await remove(orgId, 'stopped');
    expect(await rowsOf(orgId)).toEqual({});
    // The crash may also have come after the deletion of the last row, so a repeated deletion with the same export must
    // succeed.
    expect(await remove(orgId, 'stopped')).toMatchObject({ orgId, name: NAME, deleted: {} });
    await expect(remove(orgId, 'new')).rejects.toThrow('There is no organization');
  });
});

const sha256Of = (content: Buffer | string): string => hashed(content).toString('hex');
const hashOf = (text: string): Buffer => hashed(text);
const hashed = (content: Buffer | string): Buffer => createHash('sha256').update(content).digest();

/** All files of an export. */
function textOf(name: string): string {
  const root = join(folder, name);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(path => statSync(join(root, path)).isFile())
    .map(path => readFileSync(join(root, path), 'utf8'))
    .join('\n');
}
