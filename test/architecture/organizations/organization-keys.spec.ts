import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../support/migrated-database.js';
import type { TestDatabase } from '../../support/test-postgres.js';
import { acrossOrganizations, readRules, readTables } from './organization-keys.js';

/**
 * Tables without an organization, each with the reason. A new one needs an entry here and a mention in
 * docs/distribute.md.
 */
const OF_THE_INSTALLATION: Record<string, string> = {
  key_checks: 'proves that a replica has the key that the others encrypt with',
  rate_limits: 'counts requests by a hash of the address or token, before their organization is known',
  retention_floors: 'holds for how long records are kept at least, of the whole installation',
  schema_migrations: 'lists the migrations that have run',
};

/** PostgreSQL requires the day in each key of a table partitioned by day; `usage_event_keys` keeps the ids unique. */
const KEYLESS = ['usage_events'];

describe('the schema', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });

  afterAll(() => database?.drop());

  it('has an organization column in every table except those of the installation', async () => {
    const tables = await readTables(database);
    const without = [...tables].filter(([, organization]) => organization === '').map(([table]) => table);
    expect(without).toEqual(Object.keys(OF_THE_INSTALLATION));
    expect(tables.size).toBeGreaterThan(70);
  });

  it('enforces no key, unique index or foreign key across organizations', async () => {
    const [tables, rules] = await Promise.all([readTables(database), readRules(database)]);
    expect(acrossOrganizations(tables, rules)).toEqual([]);
    expect(new Set(rules.map(({ kind }) => kind))).toEqual(new Set(['primary key', 'unique', 'foreign key']));
  });

  it('has a primary key on every table except one, whose ids another table keeps unique', async () => {
    const [tables, rules] = await Promise.all([readTables(database), readRules(database)]);
    const keyed = new Set(rules.filter(({ kind }) => kind !== 'foreign key').map(({ table }) => table));
    expect([...tables.keys()].filter(table => !keyed.has(table))).toEqual(KEYLESS);
  });
});

describe('the check of keys', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });

  afterAll(() => database?.drop());

  it.each([
    ['a unique index', 'create unique index planted on governance.webhooks (url)', 'webhooks.planted'],
    [
      'a partial unique index on an expression',
      'create unique index planted on governance.users (lower(email)) where email is not null',
      'users.planted',
    ],
    [
      'a foreign key to another key of the organization',
      'alter table governance.users add constraint planted foreign key (id) references governance.organizations (id)',
      'users.planted',
    ],
    [
      'a foreign key to a table of the installation',
      `alter table governance.users add column planted text,
         add constraint planted foreign key (planted) references governance.key_checks (key_id)`,
      'users.planted',
    ],
  ])('finds %s', async (_what, statement, found) => {
    await database.asOwner(`do $$ begin ${statement}; end $$`);
    try {
      const [tables, rules] = await Promise.all([readTables(database), readRules(database)]);
      expect(acrossOrganizations(tables, rules)).toEqual([found]);
    } finally {
      await database.asOwner('drop index if exists governance.planted');
      await database.asOwner('alter table governance.users drop constraint if exists planted');
    }
  });

  it('finds a table without an organization, and one whose organization may be null', async () => {
    await database.asOwner('create table governance.planted (id uuid primary key)');
    await database.asOwner('create table governance.planted_too (org_id uuid, id uuid primary key)');
    const tables = await readTables(database);
    expect([tables.get('planted'), tables.get('planted_too')]).toEqual(['', '']);
  });
});
