import type { SqlTransaction } from '#core';
import type { User } from '../../user.entity.js';
import type { ScimUser } from './scim-user.entity.js';
import { NAMES_SAID } from './scim-user.sql.js';

/**
 * The SCIM userNames of users. A userName is the name from the identity provider, or else the e-mail address. If
 * another user has that address as userName, the userName is the id. Therefore, no two users have the same userName.
 */
export async function userNames(
  tx: SqlTransaction,
  orgId: string,
  known: readonly Pick<{ user: User; record: ScimUser }, 'user' | 'record'>[],
): Promise<(user: User, record: ScimUser) => string> {
  const keys = known.filter(({ record }) => record.userName === null).map(({ user }) => user.emailKey);
  const rows = keys.length === 0 ? [] : await tx.query<{ name: string }>(NAMES_SAID, [orgId, keys]);
  const said = new Set(rows.map(({ name }) => name));
  return (user, record) => record.userName ?? (said.has(user.emailKey) ? user.id : user.email);
}
