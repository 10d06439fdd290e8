import pg from 'pg';

/** The role of the app on its embedded server. */
export const LOGIN_ROLE = 'governance_login';

/**
 * Creates the login role of the app on its embedded server with this password. Returns the URL with this role. The role
 * can only become governance_app, so row-level security applies to it. A superuser could bypass row-level security.
 */
export async function ensureLoginRole(superuserUrl: string, password: string): Promise<string> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [LOGIN_ROLE]);
    await client.query(
      `${rowCount === 0 ? 'create' : 'alter'} role ${LOGIN_ROLE} login noinherit nosuperuser nocreatedb nocreaterole
       noreplication nobypassrls password ${client.escapeLiteral(password)}`,
    );
    // PostgreSQL does not log errors of this role, because their texts would show stored data. The app gets the errors
    // itself.
    await client.query(`alter role ${LOGIN_ROLE} set log_min_messages = 'log'`);
  } finally {
    await client.end();
  }
  const url = new URL(superuserUrl);
  url.username = LOGIN_ROLE;
  url.password = password;
  return url.href;
}
