import type { StatementClient } from './with-client.js';
import { APP_ROLE, LOOKUP_ROLE, SCHEMA } from './database.options.js';
import type { Footprint, OpenConnection, RoleFootprint, SchemaFootprint } from './footprint.js';

const SCHEMA_SQL = `
select n.nspname as name, pg_get_userbyid(n.nspowner) as owner, pg_has_role(n.nspowner, 'USAGE') as droppable,
  count(c.oid) filter (where c.relkind in ('r', 'p'))::int as tables,
  coalesce(sum(pg_total_relation_size(c.oid)) filter (where c.relkind = 'r'), 0)::float8 as bytes
from pg_namespace n left join pg_class c on c.relnamespace = n.oid
where n.nspname = $1 group by n.oid`;

// Since PostgreSQL 16, dropping a role requires its ADMIN option in addition to CREATEROLE.
const ROLES_SQL = `
select r.rolname as name,
  (select coalesce(array_agg(m.rolname::text order by m.rolname), '{}') from pg_auth_members a
    join pg_roles m on m.oid = a.member where a.roleid = r.oid and m.rolname <> current_user) as members,
  (select coalesce(array_agg(distinct d.datname::text), '{}') from pg_shdepend s join pg_database d on d.oid = s.dbid
    where s.refclassid = 'pg_authid'::regclass and s.refobjid = r.oid and d.datname <> current_database()) as "usedBy",
  (select me.rolsuper or (me.rolcreaterole and (current_setting('server_version_num')::int < 160000
    or pg_has_role(r.oid, 'MEMBER WITH ADMIN OPTION'))) from pg_roles me where me.rolname = current_user) as droppable
from pg_roles r where r.rolname = any($1) order by r.rolname`;

const CONNECTIONS_SQL = `
select pid, usename::text as role, host(client_addr) as address, backend_start as since from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and application_name like 'nest-llm-governance%'
order by backend_start, pid`;

/** Reads the objects of this package. Changes nothing. */
export async function readFootprint(client: StatementClient, loginRoles: readonly string[]): Promise<Footprint> {
  const schema = await client.query<SchemaFootprint>(SCHEMA_SQL, [SCHEMA]);
  const roles = await client.query<RoleFootprint>(ROLES_SQL, [[APP_ROLE, LOOKUP_ROLE, ...loginRoles]]);
  const active = await client.query<OpenConnection>(CONNECTIONS_SQL);
  return { schema: schema.rows[0] ?? null, roles: roles.rows, connections: active.rows };
}
