import pg from 'pg';
import { messageOf } from '#core';
import { APP_ROLE, LOOKUP_ROLE } from '#database';
import type { GovernanceOptions } from '../governance.options.js';

const CONNECT_MS = 5_000;
/** The first PostgreSQL version with separate options for membership, inheritance and SET. */
const SPLIT_GRANTS = 160_000;

const ONE_ROLE =
  'Set GOVERNANCE_MIGRATION_URL (database.migrationUrl) to the URL of the role that migrates. Otherwise the role of ' +
  'DATABASE_URL, as which the app works, would get the rights of the migrations.';

/**
 * SQL for an administrator who prepares the roles. It is needed if neither the login of the app nor that of the
 * migrations may create roles. Safe to repeat. The statements depend on the version of the server.
 * @throws Error if only `url` is given, or the server does not respond
 */
export async function grantStatements({
  url,
  migrationUrl,
}: Pick<GovernanceOptions['database'], 'url' | 'migrationUrl'>): Promise<string[]> {
  if (migrationUrl === undefined) throw new Error(ONE_ROLE);
  const worker = roleOf(url);
  const migrator = roleOf(migrationUrl);
  const terms = grantTerms(await versionOf(url));
  const database = decodeURIComponent(new URL(migrationUrl).pathname.slice(1)) || migrator;
  return [
    ...[APP_ROLE, LOOKUP_ROLE].map(createRole),
    `GRANT ${APP_ROLE}, ${LOOKUP_ROLE} TO ${quoted(migrator)}${terms};`,
    `GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(migrator)};`,
    ...(worker === migrator ? [] : [`GRANT ${APP_ROLE} TO ${quoted(worker)}${terms};`]),
  ];
}

/** The clause that follows a grant of a role. It depends on the server's version number. */
export function grantTerms(version: number): string {
  return version >= SPLIT_GRANTS ? ' WITH INHERIT FALSE, SET TRUE' : '';
}

function createRole(role: string): string {
  return `DO $$ BEGIN CREATE ROLE ${role} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;`;
}

function roleOf(url: string): string {
  return new pg.Client({ connectionString: url }).user ?? 'postgres';
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

async function versionOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`);
    return Number(rows[0]?.version);
  } catch (error) {
    throw new Error(
      `The server of DATABASE_URL cannot be asked for its version: ${messageOf(error)}. PostgreSQL 15 needs other ` +
        'statements than newer versions, so none are printed. Check the URL and that its role can log in.',
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
