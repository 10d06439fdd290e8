import { SCHEMA } from '#database';
import type { UserStatus } from '#core';

/** A user as the directory reads it. Attributes stay text until it is known whether there are any. */
export interface DirectoryRow {
  id: string;
  email: string;
  email_key: string;
  name: string;
  department: string | null;
  role: string;
  status: UserStatus;
  attributes: string;
  change_version: string;
}

/** Rows per statement, so that a large organization never holds up the process for long. */
export const ROWS_PER_READ = 5_000;

const COLUMNS = `id, email, email_key, name, department, role, status, attributes::text as attributes,
  change_version::text as change_version`;

/** The newest version: `$1` organization. */
export const NEWEST_VERSION = `
select coalesce(max(change_version), 0)::text as version from ${SCHEMA}.users where org_id = $1`;

/** The next users by id: `$1` organization, `$2` last id or null. */
export const NEXT_BY_ID = `
select ${COLUMNS} from ${SCHEMA}.users
where org_id = $1 and ($2::uuid is null or id > $2::uuid) order by id limit ${ROWS_PER_READ}`;

/** What has changed since: `$1` organization, `$2` version. The rows of one version are never torn apart. */
export const CHANGED_SINCE = `
select ${COLUMNS} from ${SCHEMA}.users
where org_id = $1 and change_version > $2 order by change_version fetch first ${ROWS_PER_READ} rows with ties`;
