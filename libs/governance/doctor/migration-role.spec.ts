import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-postgres.js';
import { migrationRoleFinding } from './migration-role.js';

const check = 'role of the migrations';
const role = `Migrator-${randomUUID()}`;

describe("doctor's check of the role of the migrations", () => {
  let database: TestDatabase;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.asOwner(`create role "${role}" login noinherit password 'secret'`);
    const named = new URL(database.url);
    [named.username, named.password] = [encodeURIComponent(role), 'secret'];
    url = named.href;
  });

  afterAll(async () => {
    await database?.asOwner(`drop owned by "${role}" cascade`);
    await database?.asOwner(`drop role "${role}"`);
    await database?.drop();
  });

  it('prints statements that add missing rights, and reports no fault after they have run', async () => {
    const given = { url: database.url, migrationUrl: url, migrations: 'check' } as const;
    const before = await migrationRoleFinding(given);
    expect(before).toMatchObject({ check, ok: false });
    expect(before.seen).toContain(`${role} may not create in the database `);
    expect(before.remedy).toMatch(/^As an administrator: .*GRANT CREATE ON DATABASE "\w+" TO "Migrator-[^"]+";$/);
    expect(before.remedy).toMatch(/GRANT governance_app TO "Migrator-[^"]+" WITH INHERIT FALSE, SET TRUE;/);
    await database.asOwner(before.remedy?.replace('As an administrator: ', '') ?? 'no statement');
    expect(await migrationRoleFinding(given)).toEqual({ check, ok: true, seen: role });
    await database.asOwner(`revoke governance_lookup from "${role}"`);
    const untaken = await migrationRoleFinding(given);
    expect(untaken).toMatchObject({ ok: false, seen: `${role} may not take the role governance_lookup` });
    await database.asOwner(untaken.remedy?.replace('As an administrator: ', '') ?? 'no statement');
    expect(await migrationRoleFinding(given)).toEqual({ check, ok: true, seen: role });
  });

  it('names the setting to change if another role owns the schema', async () => {
    await database.asOwner('create schema if not exists governance');
    const seen = `${role} does not own the schema governance, and may not migrate it`;
    expect(await migrationRoleFinding({ url, migrations: 'run' })).toEqual({
      ...{ check, ok: true, seen },
      remedy: expect.stringContaining('GOVERNANCE_MIGRATIONS=check'),
    });
    expect(await migrationRoleFinding({ url: database.url, migrationUrl: url })).toEqual({
      ...{ check, ok: false, seen },
      remedy: 'Name the role that owns the tables in GOVERNANCE_MIGRATION_URL.',
    });
  });

  it('checks nothing if the settings name no separate role for migrations', async () => {
    const nobody = 'postgres://nobody:secret@127.0.0.1:1/governance';
    const none = { check, ok: true, seen: 'not in the settings' };
    expect(await migrationRoleFinding({ url: nobody, migrations: 'check' })).toEqual(none);
    expect(await migrationRoleFinding({ url: nobody })).toEqual(none);
  });

  it('names the variable, and not the password, if the role cannot log in', async () => {
    const wrong = url.replace('secret', 'hunter2');
    const finding = await migrationRoleFinding({ url: database.url, migrationUrl: wrong });
    expect(finding).toMatchObject({ check, ok: false, remedy: expect.stringContaining('GOVERNANCE_MIGRATION_URL') });
    expect(JSON.stringify(finding)).not.toContain('hunter2');
  });
});
