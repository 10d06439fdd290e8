import pg from 'pg';
import { messageOf } from '#core';
import type { Footprint, RoleFootprint } from './footprint.js';
import { MIGRATION_LOCK } from './migrate.js';
import { migrationUrl } from './orm.js';
import { readFootprint } from './read-footprint.js';
import { withClient, type StatementClient } from './with-client.js';

/** Options of an uninstall. */
export interface UninstallOptions {
  /** URL with a role that may drop the schema and the roles: the role that ran the migrations, or a superuser. */
  readonly url: string;
  /** Login roles to drop. Name only roles that no other application uses. Default: none. */
  readonly loginRoles?: readonly string[];
  /** Drops the schema even if replicas are connected. The next statement of these replicas fails. Default: false. */
  readonly force?: boolean;
}

/** Removed and remaining objects. */
export interface UninstallReport {
  /** Names such as `schema governance` and `role governance_app`. */
  readonly removed: readonly string[];
  readonly left: readonly LeftBehind[];
}

/** An object that could not be removed. */
export interface LeftBehind {
  readonly what: string;
  /** Why the object was not removed, as a sentence. */
  readonly reason: string;
  /** SQL with which an administrator can remove it. */
  readonly sql: string;
  /** Whether the object must stay, because other databases of the server use it. */
  readonly inUse: boolean;
}

/**
 * Maximum number of tables dropped in one transaction. Dropping a table also locks its indexes, and a server has only a
 * few thousand locks.
 */
const PARTITIONS_AT_ONCE = 200;
const INSUFFICIENT_PRIVILEGE = '42501';

/** Lists the objects that an uninstall would remove. Changes nothing. */
export function inspectInstallation(options: UninstallOptions): Promise<Footprint> {
  return withClient(connectionOf(options), client => readFootprint(client, options.loginRoles ?? []));
}

/**
 * Drops the schema with all its data, and the roles that migrations created. Can be repeated to continue after a
 * failure.
 * @throws Error if replicas are connected and `force` is not set, if a migration is running, or if the role may not
 * drop the schema. In these cases nothing has been removed
 */
export function uninstall(options: UninstallOptions): Promise<UninstallReport> {
  return withClient(connectionOf(options), async client => {
    const { schema, roles, connections } = await readFootprint(client, options.loginRoles ?? []);
    if (connections.length > 0 && !options.force) throw new Error(stillConnected(connections.length));
    const removed: string[] = [];
    const left: LeftBehind[] = [];
    if (schema) {
      if (!schema.droppable) throw new Error(notTheOwner(schema.name, schema.owner));
      await dropSchema(client, schema.name);
      removed.push(`schema ${schema.name}`);
    }
    for (const role of roles) {
      const remainder = await dropRole(client, role);
      if (remainder) left.push(remainder);
      else removed.push(`role ${role.name}`);
    }
    return { removed, left };
  });
}

async function dropSchema(client: StatementClient, schema: string): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    ...MIGRATION_LOCK,
  ]);
  if (!rows[0]?.locked) throw new Error('A migration is running. Wait until it has ended, then run this again.');
  // Without this timeout, the command would wait forever for a forgotten transaction that reads a table.
  await client.query(`set lock_timeout = '10s'`);
  const partitions = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = $1::regnamespace and c.relispartition and c.relkind = 'r'`,
    [schema],
  );
  for (let at = 0; at < partitions.rows.length; at += PARTITIONS_AT_ONCE) {
    const names = partitions.rows.slice(at, at + PARTITIONS_AT_ONCE).map(({ name }) => name);
    await client.query(`drop table ${names.join(', ')} cascade`);
  }
  await client.query(`drop schema ${pg.escapeIdentifier(schema)} cascade`);
}

async function dropRole(client: StatementClient, role: RoleFootprint): Promise<LeftBehind | undefined> {
  const { name, usedBy, droppable } = role;
  const sql = `DROP ROLE ${pg.escapeIdentifier(name)};`;
  const leave = (reason: string, inUse: boolean): LeftBehind => ({ what: `role ${name}`, reason, sql, inUse });
  if (usedBy.length > 0) return leave(`Other databases of this server use it: ${usedBy.join(', ')}.`, true);
  if (!droppable) return leave('The role of this connection may not drop it.', false);
  try {
    await client.query(`drop role ${pg.escapeIdentifier(name)}`);
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return leave(reasonOf(error), error.code !== INSUFFICIENT_PRIVILEGE);
    throw error;
  }
}

/** The detail of PostgreSQL's error names the objects that depend on the role. */
function reasonOf(error: pg.DatabaseError): string {
  return [messageOf(error), error.detail].filter(text => text !== undefined).join(': ');
}

function stillConnected(connections: number): string {
  return (
    `${connections} connections of nest-llm-governance are open. Stop every replica first, or remove the schema ` +
    'all the same with --force.'
  );
}

function notTheOwner(schema: string, owner: string): string {
  return (
    `The schema ${schema} belongs to ${owner}, and the role of this connection may not drop it. Connect as ${owner}, ` +
    `or run as an administrator: DROP SCHEMA ${schema} CASCADE;`
  );
}

function connectionOf({ url }: UninstallOptions): { connectionString: string; application_name: string } {
  return { connectionString: migrationUrl(url), application_name: 'nest-llm-governance uninstall' };
}
