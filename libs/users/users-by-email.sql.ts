import { SCHEMA } from '#database';

/**
 * SQL `from …` of the users `u` in the organization `$1` whose address is in `$2`, in the form of `emailKey`. Looks up
 * each address separately. With a list of addresses, PostgreSQL would scan the whole organization as long as it has no
 * statistics, as during the first imports.
 */
export const USERS_BY_EMAIL = `
from unnest($2::text[]) as wanted (email_key) cross join lateral (
  select x.* from ${SCHEMA}.users x where x.org_id = $1 and x.email_key = wanted.email_key offset 0) u`;

/** Selects and locks users in the order of their ids, like every transaction that locks several users. */
export const LOCKED_USERS_BY_EMAIL = `
from unnest(array(select u.id ${USERS_BY_EMAIL} order by u.id)) as wanted (id) cross join lateral (
  select x.* from ${SCHEMA}.users x where x.org_id = $1 and x.id = wanted.id for update) u`;
