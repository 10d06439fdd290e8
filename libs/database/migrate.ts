import type { Migration } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { SCHEMA, type DatabaseOptions } from './database.options.js';
import { migrationUrl, ormOptions } from './orm.js';

/** A migration of this package, in the order of execution. */
export interface NamedMigration {
  name: string;
  class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
  /** Tables that the migration creates, without partitions. If one of them is missing, the schema is damaged. */
  tables?: readonly string[];
}

/** Two-part key of the advisory lock for migrations. The first part is 'gove' in ASCII. */
export const MIGRATION_LOCK: readonly number[] = [0x676f7665, 1];

/**
 * Runs the missing migrations, each in a transaction, and returns their names. Holds a lock of the session, so that
 * replicas that start together run one after another. PostgreSQL releases the lock with the connection, even after a
 * crash.
 */
export async function migrate(options: DatabaseOptions, migrations: readonly NamedMigration[]): Promise<string[]> {
  const lock = new pg.Client({
    // The connection has no statement timeout, because the migrations of another replica may take long.
    connectionString: migrationUrl(options.url),
    application_name: 'nest-llm-governance migrate',
  });
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1, $2)', [...MIGRATION_LOCK]);
    await lock.query(`create schema if not exists ${SCHEMA}`);
    const orm = await MikroORM.init(withMigrator(options, migrations));
    try {
      return (await orm.migrator.up()).map(migration => migration.name);
    } finally {
      await orm.close();
    }
  } finally {
    await lock.end();
  }
}

function withMigrator(options: DatabaseOptions, migrations: readonly NamedMigration[]): Options {
  return {
    ...ormOptions({ ...options, poolSize: 2 }, [], null),
    migrations: {
      migrationsList: [...migrations],
      tableName: `${SCHEMA}.schema_migrations`,
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      disableForeignKeys: false,
      silent: true,
    },
  };
}

/** Names of migrations that the database lacks. Only reads, with the app's role. */
export async function pendingMigrations(
  query: (sql: string) => Promise<object[]>,
  migrations: readonly NamedMigration[],
): Promise<string[]> {
  const known = migrations.map(migration => migration.name);
  const [table] = await query(`select to_regclass('${SCHEMA}.schema_migrations') is not null as there`);
  if (!table || !('there' in table) || table.there !== true) return known;
  const rows = await query(`select name from ${SCHEMA}.schema_migrations`);
  const done = new Set(rows.map(row => ('name' in row ? row.name : '')));
  return known.filter(name => !done.has(name));
}
