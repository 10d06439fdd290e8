import pg from 'pg';

/**
 * Everything that a package could leave in a database or on its server, as text. Comparing two texts shows the changes.
 */
const CATALOG = {
  schemas: `select nspname, nspacl::text from pg_namespace where nspname !~ '^pg_(toast_)?temp_'`,
  relations: `select oid::regclass::text, relacl::text from pg_class
    where relnamespace::regnamespace::text not in ('pg_catalog', 'pg_toast', 'information_schema')`,
  functions: `select oid::regprocedure::text, proacl::text from pg_proc
    where pronamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`,
  types: `select typname from pg_type where typnamespace::regnamespace::text not in ('pg_catalog', 'pg_toast', 'information_schema')`,
  roles: `select rolname, rolsuper, rolcanlogin, rolcreaterole, rolbypassrls from pg_roles`,
  memberships: `select roleid::regrole::text, member::regrole::text, grantor::regrole::text from pg_auth_members`,
  extensions: `select extname, extversion from pg_extension`,
  'default privileges': `select defaclrole::regrole::text, defaclnamespace, defaclacl::text from pg_default_acl`,
  'grants on databases': `select datname, datacl::text from pg_database where datname = current_database()`,
  settings: `select setdatabase, setrole, setconfig::text from pg_db_role_setting`,
  'event triggers': `select evtname from pg_event_trigger`,
  publications: `select pubname from pg_publication`,
  'large objects': `select oid from pg_largeobject_metadata`,
  'shared dependencies': `select classid::regclass::text, refobjid::regrole::text from pg_shdepend where refclassid = 'pg_authid'::regclass
    and refobjid in (select oid from pg_authid) and deptype <> 'p'`,
} as const;

/** The catalog of a database, sorted. */
export async function readCatalog(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found: Record<string, string[]> = {};
    for (const [what, sql] of Object.entries(CATALOG)) {
      const { rows } = await client.query<object>(sql);
      found[what] = rows.map(row => JSON.stringify(row)).sort();
    }
    return found;
  } finally {
    await client.end();
  }
}
