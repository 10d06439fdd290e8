import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseKeyring } from '#core';
import { openOrm, OrgDatabase } from '#database';
import { EnvelopeCipher, KeyChecks, SecretKeys, SecretVault } from '#secrets';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { checkUp } from './check-up.js';

const key = (id: string): string => `${id}:${Buffer.alloc(32, id).toString('base64')}`;
const ringOf = (...ids: string[]) => parseKeyring(ids.map(key).join(','));
const cipherOf = (...ids: string[]): EnvelopeCipher => new EnvelopeCipher(ringOf(...ids));
const keysOf = (database: OrgDatabase, ...ids: string[]) => ({
  stored: new SecretKeys(database, cipherOf(...ids)),
  checks: new KeyChecks(database, ringOf(...ids)),
});

describe('the doctor', () => {
  let tests: TestDatabase;
  let database: OrgDatabase;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    database = new OrgDatabase(await openOrm({ url: tests.url }, []));
  });

  afterAll(async () => {
    await database?.close();
    await tests?.drop();
  });

  async function findingWith(...ids: string[]): Promise<object | undefined> {
    const findings = await checkUp(database, keysOf(database, ...ids));
    return findings.find(({ check }) => check === 'keys of stored secrets');
  }

  it('reports dead-lettered tasks: how many of each queue, and the error of the first', async () => {
    const find = async (): Promise<object | undefined> =>
      (await checkUp(database, keysOf(database, 'k1'))).find(({ check }) => check === 'background work');
    expect(await find()).toEqual({ check: 'background work', ok: true, seen: 'no dead letters' });
    const put = (queue: string, fault: string, minutesAgo: number | null): Promise<unknown> =>
      tests.asOwner(
        `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject, faults, fault, quarantined_at)
         values (gen_random_uuid(), gen_random_uuid(), $1, 'k', now(), 1, '{}', 5, $2, now() - $3 * interval '1 minute')`,
        [queue, fault, minutesAgo],
      );
    await put('listener', 'second', 1);
    await put('listener', 'first', 2);
    await put('webhook', 'no secret', 3);
    await put('webhook', 'tried again', null);
    expect(await find()).toMatchObject({
      ok: false,
      seen: 'listener: 2 dead-lettered, first by: first; webhook: 1 dead-lettered, first by: no secret',
      remedy: expect.stringContaining('npx nest-llm-governance requeue'),
    });
  });

  it('reports the records that wait for the SIEM, and warns if it does not accept records or if they are late', async () => {
    const find = async (): Promise<object | undefined> =>
      (await checkUp(database, keysOf(database, 'k1'))).find(({ check }) => check === 'audit sink');
    expect(await find()).toEqual({ check: 'audit sink', ok: true, seen: 'none in use' });
    const orgId = '00000000-0000-0000-0000-000000000000';
    const put = (minutesAgo: number): Promise<unknown> =>
      tests.asOwner(
        `insert into governance.siem_records (org_id, id, kind, at, data)
         values ($1, gen_random_uuid(), 'security', now() - $2 * interval '1 minute', '{}')`,
        [orgId, minutesAgo],
      );
    await tests.asOwner(
      `insert into governance.siem_streams (org_id, stream, touched_at) values ($1, 'http', now()), ($1, 'old', now() - interval '1 day')`,
      [orgId],
    );
    expect(await find()).toEqual({ check: 'audit sink', ok: true, seen: 'http: nothing waits' });
    await put(2);
    expect(await find()).toEqual({ check: 'audit sink', ok: true, seen: 'http: 1 wait, the oldest for 2 min' });
    await tests.asOwner(`update governance.siem_streams set failures = 1, fault = 'The collector answered 503.'`);
    expect(await find()).toMatchObject({
      ...{ ok: true, seen: 'http: 1 wait, the oldest for 2 min; last fault: The collector answered 503.' },
      remedy: expect.stringContaining('docs/siem.md'),
    });
    await tests.asOwner(`update governance.siem_streams set failures = 0, fault = null`);
    await put(20);
    expect(await find()).toMatchObject({
      ...{ ok: true, seen: 'http: 2 wait, the oldest for 20 min' },
      remedy: expect.stringContaining('GOVERNANCE_WORKERS'),
    });
  });

  it('warns about tokens that expire within a week, and not about others', async () => {
    const find = async (): Promise<object | undefined> =>
      (await checkUp(database, keysOf(database, 'k1'))).find(({ check }) => check === 'expiring tokens');
    expect(await find()).toEqual({ check: 'expiring tokens', ok: true, seen: 'none within seven days' });
    const orgId = randomUUID();
    await tests.asOwner(
      `insert into governance.organizations (id, name, time_zone, created_at) values ($1, 'O', 'UTC', now())`,
      [orgId],
    );
    for (const [days, isRevoked] of [
      [6, false],
      [6, true],
      [8, false],
      [-1, false],
    ]) {
      await tests.asOwner(
        `insert into governance.access_tokens (org_id, id, name, role, token_hash, created_at, expires_at, revoked_at)
         values ($1, gen_random_uuid(), 'T', 'agent', sha256(gen_random_uuid()::text::bytea), now() - interval '30 days',
           now() + $2 * interval '1 day', case when $3 then now() end)`,
        [orgId, days, isRevoked],
      );
    }
    expect(await find()).toEqual({
      ...{ check: 'expiring tokens', ok: true, seen: '1 within seven days' },
      remedy: expect.stringMatching(/token list.*rotating does not extend the expiry/),
    });
  });

  describe('of the login role', () => {
    const role = `doctor_${randomUUID().replaceAll('-', '')}`;
    let ofLogin: OrgDatabase;

    beforeAll(async () => {
      await tests.asOwner(`create role ${role} login noinherit password 'x'`);
      await tests.asOwner(`grant governance_app to ${role}`);
      const url = new URL(tests.url);
      [url.username, url.password] = [role, 'x'];
      ofLogin = new OrgDatabase(await openOrm({ url: url.href }, []));
    });

    afterAll(async () => {
      await ofLogin?.close();
      await tests.asOwner(`reassign owned by ${role} to current_user`);
      await tests.asOwner(`drop role ${role}`);
    });

    async function look(): Promise<object | undefined> {
      const findings = await checkUp(ofLogin, keysOf(ofLogin, 'k1'));
      return findings.find(({ check }) => check === 'role of the login');
    }

    it('reports no fault if it can become only the role of the app', async () => {
      expect(await look()).toEqual({ check: 'role of the login', ok: true, seen: role });
    });

    it.each([
      ['owns a table', (r: string) => [`alter table governance.policies owner to ${r}`], 'owns the tables'],
      ['can become the owner', (r: string) => [`grant ${r}_owner to ${r}`], 'owns the tables'],
      ['can read rows of all organizations', (r: string) => [`grant governance_lookup to ${r}`], 'governance_lookup'],
      ['can create roles', (r: string) => [`alter role ${r} createrole`], 'CREATEROLE'],
      ['bypasses row-level security', (r: string) => [`alter role ${r} bypassrls`], 'BYPASSRLS'],
      ['is a superuser', (r: string) => [`alter role ${r} superuser`], 'superuser'],
    ])('warns with a remedy if it %s', async (_what, statements, seen) => {
      await tests.asOwner(`create role ${role}_owner`);
      await tests.asOwner(`alter table governance.users owner to ${role}_owner`);
      try {
        for (const statement of statements(role)) await tests.asOwner(statement);
        expect(await look()).toEqual({
          check: 'role of the login',
          ok: true,
          seen: expect.stringContaining(seen),
          remedy: expect.stringMatching(/RESET ROLE.*GOVERNANCE_MIGRATION_URL/),
        });
      } finally {
        await tests.asOwner(`alter role ${role} nosuperuser nobypassrls nocreaterole`);
        await tests.asOwner(`revoke governance_lookup from ${role}`);
        await tests.asOwner(`reassign owned by ${role}, ${role}_owner to current_user`);
        await tests.asOwner(`drop role ${role}_owner`);
      }
    });
  });

  it('reports no fault if the writing key encrypts everything, suggests a rewrap for old keys, and fails for missing ones', async () => {
    expect(await findingWith('k1')).toEqual({
      check: 'keys of stored secrets',
      ok: true,
      seen: 'the one that writes',
    });
    const place = { orgId: randomUUID(), owner: 'webhooks', ownerId: randomUUID(), name: 'x' };
    await database.transaction(place.orgId, em => new SecretVault(cipherOf('k1')).put(em, place, 'x'));
    expect(await findingWith('k2', 'k1')).toMatchObject({
      ok: true,
      seen: 'secrets remain under: k1',
      remedy: expect.stringContaining('nest-llm-governance rewrap'),
    });
    expect(await findingWith('k2')).toMatchObject({
      ok: false,
      seen: 'not at hand: k1',
      remedy: expect.stringContaining('GOVERNANCE_KEYS'),
    });
  });
});
