import pg from 'pg';

/** The role of the app on its embedded server. */
export const LOGIN_ROLE = 'governance_login';

/**
 * Creates the login role of the app on its embedded server with this password; returns its URL. Row-level security
 * applies to the role, because it can only become governance_app. A superuser could bypass it.
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
    // The app gets the role's errors. In the log, their texts would show stored data.
    await client.query(`alter role ${LOGIN_ROLE} set log_min_messages = 'log'`);
  } finally {
    await client.end();
  }
  const url = new URL(superuserUrl);
  url.username = LOGIN_ROLE;
  url.password = password;
  return url.href;
}
