import pg from 'pg';
import { messageOf } from '#core';
import { APP_ROLE, LOOKUP_ROLE, SCHEMA, withClient } from '#database';
import type { GovernanceOptions } from '../governance.options.js';
import type { Finding } from './check-up.js';
import { grantTerms } from './grants.js';

const CHECK = 'role of the migrations';
const TIMEOUT_MS = 11_000;

// The first migration runs `create schema if not exists`. PostgreSQL requires CREATE for this, even if the schema
// exists. Since version 16, CREATEROLE is not sufficient to become a member of another role; the ADMIN option is
// required.
const RIGHTS = `
select session_user::text as role, current_database()::text as database,
  current_setting('server_version_num')::int as version,
  has_database_privilege(session_user, current_database(), 'CREATE') as "mayCreate",
  (select not pg_has_role(session_user, nspowner, 'MEMBER') from pg_namespace where nspname = $1) as "isForeign",
  array(select r from unnest($2::text[]) r where not me.rolcreaterole and not me.rolsuper
    and not exists (select from pg_roles where rolname = r)) as missing,
  array(select rolname::text from pg_roles r where rolname = any($2) and not case
    when current_setting('server_version_num')::int < 160000
    then me.rolcreaterole or pg_has_role(session_user, r.oid, 'MEMBER')
    else pg_has_role(session_user, r.oid, 'SET') or pg_has_role(session_user, r.oid, 'MEMBER WITH ADMIN OPTION') end
    order by rolname) as untaken
from pg_roles me where me.rolname = session_user`;

interface Rights {
  role: string;
  database: string;
  version: number;
  mayCreate: boolean;
  /** Whether the schema belongs to another role. Null if there is no schema yet. */
  isForeign: boolean | null;
  /** Roles that do not exist, and that this role is not allowed to create. */
  missing: string[];
  /** Roles that exist, and that this role is not allowed to use. */
  untaken: string[];
}

/**
 * Checks whether the role of the migrations has the required rights. A failed finding contains the statements that
 * grant them. Never rejects.
 */
export async function migrationRoleFinding({
  url,
  migrationUrl,
  migrations,
}: GovernanceOptions['database']): Promise<Finding> {
  if (migrationUrl === undefined && migrations !== 'run')
    return { check: CHECK, ok: true, seen: 'not in the settings' };
  const variable = migrationUrl === undefined ? 'DATABASE_URL' : 'GOVERNANCE_MIGRATION_URL';
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  try {
    const rights = await withClient({ connectionString: migrationUrl ?? url, ...limits }, async client => {
      const { rows } = await client.query<Rights>(RIGHTS, [SCHEMA, [APP_ROLE, LOOKUP_ROLE]]);
      if (!rows[0]) throw new Error('no answer');
      return rows[0];
    });
    return { check: CHECK, ...judged(rights, migrationUrl !== undefined) };
  } catch (error) {
    return {
      check: CHECK,
      ok: false,
      seen: messageOf(error),
      remedy: `Check ${variable} and that its role can log in.`,
    };
  }
}

function judged(rights: Rights, isOwnRole: boolean): Omit<Finding, 'check'> {
  const { role, database, mayCreate, isForeign, missing, untaken } = rights;
  if (isForeign === true) {
    // If there is no separate role for migrations, the app still works with GOVERNANCE_MIGRATIONS=check.
    const remedy = isOwnRole
      ? 'Name the role that owns the tables in GOVERNANCE_MIGRATION_URL.'
      : 'Start the app with GOVERNANCE_MIGRATIONS=check, or name the role that owns the tables in GOVERNANCE_MIGRATION_URL.';
    return { ok: !isOwnRole, seen: `${role} does not own the schema ${SCHEMA}, and may not migrate it`, remedy };
  }
  const lacks = [
    ...(mayCreate ? [] : [`may not create in the database ${database}`]),
    ...missing.map(name => `may not create the role ${name}, which is missing`),
    ...untaken.map(name => `may not take the role ${name}`),
  ];
  if (lacks.length === 0) return { ok: true, seen: role };
  return {
    ok: false,
    seen: `${role} ${lacks.join(', ')}`,
    remedy: `As an administrator: ${statements(rights).join(' ')}`,
  };
}

function statements({ role, database, version, mayCreate, missing, untaken }: Rights): string[] {
  const to = pg.escapeIdentifier(role);
  return [
    ...missing.map(name => `CREATE ROLE ${name} NOLOGIN;`),
    ...[...missing, ...untaken].map(name => `GRANT ${name} TO ${to}${grantTerms(version)};`),
    ...(mayCreate ? [] : [`GRANT CREATE ON DATABASE ${pg.escapeIdentifier(database)} TO ${to};`]),
  ];
}
