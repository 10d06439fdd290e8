import type { UserStatus } from '#core';
import type { VersionedRow } from '#database';

/** Columns of a user, besides id and version. */
export const USER_COLUMNS = 'email, email_key, name, department, role, status, attributes::text as attributes';

/** A user as the directory reads it. The attributes are parsed only if they are not empty. */
export interface DirectoryRow extends VersionedRow {
  email: string;
  email_key: string;
  name: string;
  department: string | null;
  role: string;
  status: UserStatus;
  attributes: string;
}
