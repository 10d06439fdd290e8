import pg from 'pg';

/** The role as which the app works on its embedded server. */
export const LOGIN_ROLE = 'governance_login';

/**
 * Makes the role as which the app logs in to its embedded server, and gives it the password; returns its URL. Row-level
 * security binds a role that may take governance_app and nothing else; a superuser could step out of it again.
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
    // Its errors are told to the app, which asked; in the log their words would show what people store.
    await client.query(`alter role ${LOGIN_ROLE} set log_min_messages = 'log'`);
  } finally {
    await client.end();
  }
  const url = new URL(superuserUrl);
  url.username = LOGIN_ROLE;
  url.password = password;
  return url.href;
}
