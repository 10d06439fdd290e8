import { APP_ROLE, SCHEMA } from './database.options.js';
import type { NamedMigration } from './migrate.js';

/** Runs one read-only statement. */
export type ReadSql = (sql: string, parameters?: readonly unknown[]) => Promise<object[]>;

/** A defect of the schema that migrations cannot repair, and the remedy. */
export interface SchemaDamage {
  readonly fault: string;
  readonly remedy: string;
}

// The catalog lists the tables. Every role can read it, even without access to the schema.
const PRESENT = `
select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = '${SCHEMA}' and c.relkind in ('r', 'p')`;

const FUNCTIONS = `
select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = '${SCHEMA}'`;

const ROLE = `select rolname as name from pg_roles where rolname = '${APP_ROLE}'`;

const RECORDED = `select name from ${SCHEMA}.schema_migrations`;

const NAMED_MAX = 5;

const BEGIN_AGAIN =
  'Something other than this package dropped them: a cleanup by hand, or `schema.update()` of a MikroORM whose ' +
  "`schemaGenerator.ignoreSchema` does not name 'governance'. Restore the schema from a backup. To begin anew and lose " +
  'what is left, run: npx nest-llm-governance uninstall --yes, then: npx nest-llm-governance migrate';

const RESTORE_ROLES =
  'Roles are not part of the dump of one database. Restore them (pg_dumpall --roles-only), then the database, so that ' +
  'the rights of the role come back too.';

/**
 * Detects an incomplete schema: migrations whose tables are missing, or tables without migrations. Undefined if the
 * schema is complete, does not exist, or is only outdated. Runs several reads, so pass a snapshot.
 */
export async function schemaDamage(
  read: ReadSql,
  migrations: readonly NamedMigration[],
): Promise<SchemaDamage | undefined> {
  const present = new Set(await names(read, PRESENT));
  const made = migrations.flatMap(({ tables = [] }) => tables);
  const isRecorded = present.has('schema_migrations');
  if (isRecorded && (await names(read, ROLE)).length === 0) {
    return { fault: `the role ${APP_ROLE} is missing, and the schema ${SCHEMA} is there`, remedy: RESTORE_ROLES };
  }
  const recorded = new Set(isRecorded ? await names(read, RECORDED) : []);
  if (recorded.size > 0) {
    const missing = migrations
      .filter(({ name }) => recorded.has(name))
      .flatMap(({ tables = [] }) => tables.filter(table => !present.has(table)));
    return missing.length === 0 ? undefined : { fault: `missing tables: ${listed(missing)}`, remedy: BEGIN_AGAIN };
  }
  const left = [...made.filter(table => present.has(table)), ...(await names(read, FUNCTIONS))];
  if (left.length === 0) return undefined;
  return {
    fault: `no migration is recorded in ${SCHEMA}.schema_migrations, and there are ${listed(left)}`,
    remedy: BEGIN_AGAIN,
  };
}

async function names(read: ReadSql, sql: string): Promise<string[]> {
  return (await read(sql)).map(row => ('name' in row ? String(row.name) : ''));
}

function listed(all: readonly string[]): string {
  const others = all.length - NAMED_MAX;
  return all.slice(0, NAMED_MAX).join(', ') + (others > 0 ? ` and ${others} more` : '');
}
