import { BadRequestError, isUuid, type Json, type JsonObject, type UserDirectory } from '#core';
import type { BudgetScope } from '#outbox';
import type { ScopeMatch } from '../scopes/index.js';

/** Writes the id of a user in the form that configuration files use. */
export type NameOf = (id: string) => string;

/** The scope of a budget or limit. */
interface ScopedRow {
  readonly scope: BudgetScope;
  readonly match: ScopeMatch | null;
  readonly department: string | null;
  readonly userId: string | null;
  readonly model: string | null;
}

/**
 * Maps users of one organization to their names in files and back. Files name users by e-mail address, so that a file
 * has the same meaning in any organization. Ids of deleted users stay ids.
 */
export async function namesOf(
  users: UserDirectory,
  orgId: string,
  ids: readonly (string | null | undefined)[],
): Promise<NameOf> {
  const wanted = [...new Set(ids.filter(id => typeof id === 'string'))];
  const emails = wanted.length === 0 ? new Map<string, string>() : await users.emails(orgId, wanted);
  return id => emails.get(id) ?? id;
}

/** Returns the id of a user who is named by e-mail address or id. @throws BadRequestError if there is no such user */
export async function idOf(users: UserDirectory, orgId: string, name: Json, field: string): Promise<string> {
  if (typeof name !== 'string') throw BadRequestError.field(field, 'must be the e-mail address of a user');
  const [user] = await users.find(orgId, [isUuid(name) ? { user_id: name } : { user_email: name }]);
  if (!user) throw BadRequestError.field(field, `${JSON.stringify(name)} is not a user of your organization`);
  return user.id;
}

/** The ids of all users in the given scopes. */
export function userIdsIn(rows: readonly ScopedRow[]): (string | null | undefined)[] {
  return rows.flatMap(({ userId, match }) => [userId, match?.['user_id']]);
}

/** The scope in the form of a configuration file. */
export function scopeFields({ scope, match, department, userId, model }: ScopedRow, nameOf: NameOf): JsonObject {
  if (match) {
    const { user_id: id, ...rest } = match;
    return { scope: id === undefined ? rest : { ...rest, user: nameOf(id) } };
  }
  return {
    scope,
    ...(department === null ? {} : { department }),
    ...(userId === null ? {} : { user: nameOf(userId) }),
    ...(model === null ? {} : { model }),
  };
}

/** Converts an entry of a file to a request body: replaces user names by ids. */
export async function withUserIds(users: UserDirectory, orgId: string, entry: unknown): Promise<unknown> {
  if (!isObject(entry)) return entry;
  const { user, ...rest } = entry;
  const { scope = null } = rest;
  if (isObject(scope) && scope['user'] !== undefined) {
    const { user: name, ...others } = scope;
    rest['scope'] = { ...others, user_id: await idOf(users, orgId, name ?? null, 'scope.user') };
  }
  return user === undefined ? rest : { ...rest, user_id: await idOf(users, orgId, user, 'user') };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
