import { SCHEMA } from '#database';

/**
 * The users `u` of the organization `$1` who have one of the addresses `$2`, in the form of `emailKey`: `from …`. Each
 * address is looked up by itself. Given as a list, they make PostgreSQL read the whole organization as long as it has no
 * statistics, which is when most people come.
 */
export const USERS_BY_EMAIL = `
from unnest($2::text[]) as wanted (email_key) cross join lateral (
  select x.* from ${SCHEMA}.users x where x.org_id = $1 and x.email_key = wanted.email_key offset 0) u`;

/** The same, locked in the order of their ids: whoever locks several users does so in this order. */
export const LOCKED_USERS_BY_EMAIL = `
from unnest(array(select u.id ${USERS_BY_EMAIL} order by u.id)) as wanted (id) cross join lateral (
  select x.* from ${SCHEMA}.users x where x.org_id = $1 and x.id = wanted.id for update) u`;
