import type { SqlTransaction } from '#core';
import type { User } from '../../user.entity.js';
import type { ScimUser } from './scim-user.entity.js';
import { NAMES_SAID } from './scim-user.sql.js';

/**
 * Says by which name users go with identity providers: the one that was said, or the e-mail address, or the id where
 * somebody else goes by that address, so that no two users ever have one name.
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
