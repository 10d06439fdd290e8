import { Logger } from '@nestjs/common';
import pg from 'pg';
import { isErrorLike } from '#core';
import {
  APP_ROLE,
  migrate,
  pendingMigrations,
  schemaDamage,
  withClient,
  type NamedMigration,
  type StatementClient,
} from '#database';
import { checkSchemaOptions } from './check-options.js';
import { MIGRATIONS } from './composition/libraries.js';
import type { GovernanceOptions } from './governance.options.js';
import type { Retention } from './retention.js';
import { higherFloors, setFloors } from './retention-floors.js';

type SchemaOptions = GovernanceOptions['database'];

// Two-part advisory lock for the creation of roles. The first part is 'gove' in ASCII.
const LOCK = '1735358053, 2';

/** Updates the schema, or throws an error that names the command to run. */
export async function prepareSchema(
  options: SchemaOptions,
  migrations: readonly NamedMigration[],
  retention: Retention,
): Promise<void> {
  if (options.migrations === 'run') {
    await migrateAndGrant(options, migrations, retention).catch(error => explainMissingRights(error, options));
    return;
  }
  const pending = await withClient({ connectionString: options.url }, client =>
    inSnapshot(client, async () => {
      const hasRole = await takeAppRole(client);
      await refuseDamage(client, migrations);
      if (!hasRole) return migrations.map(migration => migration.name);
      const missing = await pendingMigrations(async sql => (await client.query<object>(sql)).rows, migrations);
      if (missing.length === 0) {
        for (const warning of await higherFloors(client, retention)) new Logger('Governance').warn(warning);
      }
      return missing;
    }),
  );
  if (pending.length > 0) {
    throw new Error(
      `The governance schema lacks ${pending.length} migrations (${pending.join(', ')}). Run ` +
        '`npx nest-llm-governance migrate` with this DATABASE_URL and a GOVERNANCE_MIGRATION_URL whose role may migrate, ' +
        "or start with GOVERNANCE_MIGRATIONS=run (database.migrations: 'run').",
    );
  }
}

/**
 * Updates the schema with the role of `migrationUrl`, or with that of `url` if there is none. Returns the names of the
 * applied migrations. With `retention`, also stores the minimum retention of records: pass the module's option if it is
 * not the default. If `retention` is missing, the stored minimum stays.
 */
export async function runMigrations(options: SchemaOptions, retention?: Retention): Promise<string[]> {
  checkSchemaOptions(options);
  return migrateAndGrant(options, MIGRATIONS, retention).catch(error => explainMissingRights(error, options));
}

/** A role without sufficient rights cannot run migrations, even if none is missing. */
function explainMissingRights(error: unknown, { migrationUrl }: SchemaOptions): never {
  const isRefused = isErrorLike(error) && error.code === '42501' && Reflect.get(error, 'hint') === undefined;
  if (!isRefused) throw error;
  const used =
    migrationUrl === undefined ? 'DATABASE_URL (database.url)' : 'GOVERNANCE_MIGRATION_URL (database.migrationUrl)';
  throw new Error(
    `The role of ${used} may not migrate: ${error.message}. Name a role that may in GOVERNANCE_MIGRATION_URL ` +
      '(database.migrationUrl), or run `npx nest-llm-governance migrate` as that role and start with ' +
      "GOVERNANCE_MIGRATIONS=check (database.migrations: 'check').",
    { cause: error },
  );
}

async function migrateAndGrant(
  options: SchemaOptions,
  migrations: readonly NamedMigration[],
  retention: Retention | undefined,
): Promise<string[]> {
  const { migrationUrl } = options;
  const url = migrationUrl ?? options.url;
  await withClient({ connectionString: url }, client => inSnapshot(client, () => refuseDamage(client, migrations)));
  const applied = await migrate({ ...options, url }, migrations);
  if (retention) await withClient({ connectionString: url }, client => setFloors(client, retention));
  if (migrationUrl === undefined) return applied;
  // The server is queried for the user, because a URL need not contain it: it may come from the environment.
  const worker = await withClient({ connectionString: options.url }, userOf);
  await withClient({ connectionString: migrationUrl }, async client => {
    if ((await userOf(client)) !== worker) await client.query(grantAppRole(pg.escapeLiteral(worker)));
  });
  return applied;
}

/** SQL that allows a role to become the app's role, without inheriting its rights. Idempotent. */
function grantAppRole(role: string): string {
  return `
do $grant$
declare
  -- PostgreSQL 16 told membership, inheritance and SET apart; before, a member could do all three.
  is_new boolean := current_setting('server_version_num')::int >= 160000;
  how text := case when is_new then 'GRANT %I TO %I WITH INHERIT FALSE, SET TRUE' else 'GRANT %I TO %I' end;
begin
  -- Replicas that boot together would run into each other in the catalog.
  perform pg_advisory_xact_lock(${LOCK});
  if not pg_has_role(${role}, '${APP_ROLE}', case when is_new then 'SET' else 'MEMBER' end) then
    execute format(how, '${APP_ROLE}', ${role});
  end if;
exception when insufficient_privilege then
  raise exception '% may not let % take the role ${APP_ROLE}', current_user, ${role}
    using errcode = '42501', hint = format('As an administrator: ' || how || ';', '${APP_ROLE}', ${role});
end
$grant$`;
}

/**
 * Runs reads in one snapshot of the database, because another replica may run migrations at the same time. Settings are
 * local to the transaction, so that a pooler does not pass them to the next client.
 */
async function inSnapshot<T>(client: StatementClient, read: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level repeatable read read only');
  try {
    return await read();
  } finally {
    await client.query('rollback');
  }
}

/** @throws Error with the remedy if the schema is incomplete */
async function refuseDamage(client: StatementClient, migrations: readonly NamedMigration[]): Promise<void> {
  const damage = await schemaDamage(async sql => (await client.query<object>(sql)).rows, migrations);
  if (damage) throw new Error(`The governance schema is damaged: ${damage.fault}. ${damage.remedy}`);
}

/** Switches to the app's role. Returns false if the role does not exist, for example before the first migration. */
async function takeAppRole(client: StatementClient): Promise<boolean> {
  const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [APP_ROLE]);
  if (rows.length === 0) return false;
  const user = await userOf(client);
  try {
    await client.query(`set local role ${APP_ROLE}`);
  } catch (error) {
    throw new Error(
      `The role of database.url may not take the role ${APP_ROLE}. Run \`npx nest-llm-governance migrate\` with a ` +
        `GOVERNANCE_MIGRATION_URL whose role may allow it, or as an administrator: GRANT ${APP_ROLE} TO ${user};`,
      { cause: error },
    );
  }
  return true;
}

async function userOf(client: StatementClient): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select session_user as name');
  return rows[0]?.name ?? '';
}
