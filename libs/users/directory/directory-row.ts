import type { UserStatus } from '#core';
import type { VersionedRow } from '#database';

/** What is read of a user, besides the id and the version. */
export const USER_COLUMNS = 'email, email_key, name, department, role, status, attributes::text as attributes';

/** A user as the directory reads it. Attributes stay text until it is known whether there are any. */
export interface DirectoryRow extends VersionedRow {
  email: string;
  email_key: string;
  name: string;
  department: string | null;
  role: string;
  status: UserStatus;
  attributes: string;
}
