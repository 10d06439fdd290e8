import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { GovernanceModule, GovernanceOperations, runMigrations } from '#governance';
import { MIGRATIONS } from '../../libs/governance/composition/libraries.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 5).toString('base64')}`;
const TABLES = `
select relname as name from pg_class
where relnamespace = 'governance'::regnamespace and relkind in ('r', 'p') and not relispartition`;

const start = (url: string, migrations: 'run' | 'check') => {
  class Host {}
  const governance = GovernanceModule.forRoot({
    controllers: false,
    database: { url, migrations },
    keys: KEYS,
    outbox: { workers: false },
  });
  return NestFactory.createApplicationContext(
    { module: Host, imports: [governance] },
    { logger: false, abortOnError: false },
  );
};

/** Runs the statements of a host's `schema.update()` by its own MikroORM, one by one. Returns how many were refused. */
async function updateSchema(url: string, ignoreSchema: string[] = []): Promise<number> {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    schemaGenerator: { ignoreSchema },
  });
  let refused = 0;
  try {
    for (const statement of (await orm.schema.getUpdateSchemaSQL({ wrap: false })).split('\n')) {
      if (!statement.startsWith('drop table')) continue;
      await orm.em
        .getConnection()
        .execute(statement)
        .catch(() => refused++);
    }
    return refused;
  } finally {
    await orm.close(true);
  }
}

describe('a schema with missing parts', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createMigratedDatabase();
  });

  afterEach(() => database?.drop());

  it.each<[string, (database: TestDatabase) => Promise<unknown>, string]>([
    ['a host has updated its schema', ({ url }) => updateSchema(url), 'no migration is recorded'],
    ['a table is missing', db => db.asOwner('drop table governance.policies cascade'), 'missing tables: policies.'],
    [
      'the record of migrations is missing',
      db => db.asOwner('drop table governance.schema_migrations'),
      'no migration is recorded',
    ],
  ])('is refused with the remedy at every start when %s', async (_what, damage, fault) => {
    await damage(database);
    for (const act of [
      () => start(database.url, 'check'),
      () => start(database.url, 'run'),
      () => runMigrations({ url: database.url }),
    ]) {
      const thrown = await act().then(
        () => undefined,
        (error: Error) => error.message,
      );
      expect(thrown).toContain('The governance schema is damaged');
      expect(thrown).toContain(fault);
      expect(thrown).toMatch(/ignoreSchema.*Restore the schema from a backup.*uninstall --yes/);
    }
  });

  it('is reported by doctor if the process is already running', async () => {
    const context = await start(database.url, 'check');
    const find = async () =>
      (await context.get(GovernanceOperations, { strict: false }).checkUp()).find(({ check }) => check === 'tables');
    try {
      expect(await find()).toMatchObject({ ok: true });
      await database.asOwner('drop table governance.tickets, governance.budgets cascade');
      expect(await find()).toEqual({
        check: 'tables',
        ok: false,
        seen: 'missing tables: budgets, tickets',
        remedy: expect.stringContaining('Restore the schema from a backup.'),
      });
      // Afterwards no migration is recorded any more, but the functions of the schema remain.
      await updateSchema(database.url);
      expect(await find()).toMatchObject({
        ok: false,
        seen: expect.stringContaining('no migration is recorded in governance.schema_migrations, and there are '),
        remedy: expect.stringContaining('Restore the schema from a backup.'),
      });
    } finally {
      await context.close();
    }
  });

  it('does not result from a host that ignores the schema', async () => {
    await updateSchema(database.url, ['governance']);
    await (await start(database.url, 'check')).close();
  });
});

describe('the tables', () => {
  it('are those that the migrations name', async () => {
    const database = await createMigratedDatabase();
    const there = (await database.asOwner<{ name: string }>(TABLES)).map(({ name }) => name);
    const named = MIGRATIONS.flatMap(({ tables = [] }) => tables);
    expect(['schema_migrations', ...named].toSorted()).toEqual(there.toSorted());
    await database.drop();
  });
});

describe('the role of the app if another role migrates', () => {
  const role = `login_${randomUUID().replaceAll('-', '')}`;
  let database: TestDatabase;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.asOwner(`create role ${role} login noinherit password 'x'`);
    const login = new URL(database.url);
    [login.username, login.password] = [role, 'x'];
    url = login.href;
    await runMigrations({ url, migrationUrl: database.url });
  });

  afterAll(async () => {
    await database?.asOwner(`revoke governance_app from ${role}`);
    await database?.drop();
    // Keeps the role itself. No database of this run uses it any more.
  });

  it.each([
    'drop table governance.policies cascade',
    'drop schema governance cascade',
    'truncate governance.audit_log',
  ])('cannot %s, neither as itself nor as the role of the app', async statement => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
      await client.query('set role governance_app');
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
    } finally {
      await client.end();
    }
  });

  it('keeps all tables when a host updates its schema as this role, and the app starts', async () => {
    const before = await database.asOwner(TABLES);
    await updateSchema(url);
    expect(await database.asOwner(TABLES)).toEqual(before);
    await (await start(url, 'check')).close();
  });
});
