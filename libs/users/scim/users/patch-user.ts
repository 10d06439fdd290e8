import { canonicalJson, type JsonObject } from '#core';
import { applyPatch } from '../protocol/apply-patch.js';
import type { PatchStep } from '../protocol/patch-request.js';
import { requireAttributes } from '../protocol/read-resource.js';
import { ScimError } from '../protocol/scim-error.js';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { keptResource, mapUser, ownEmails, type KnownUser, type MappedUser } from './user-mapping.js';

/** The identity provider's target state of a user. */
export interface RequestedUser {
  /** The state to compare with. Only fields that differ are changed. */
  former: MappedUser;
  wanted: MappedUser;
  /** The resource to store as sent by the provider. */
  said: MappedUser['scim'];
}

/**
 * Applies PATCH operations to the resource as it is shown. A local change that no operation touches remains, together
 * with the provider's last value.
 * @throws ScimError
 */
export function patchUser(known: KnownUser, steps: readonly PatchStep[]): RequestedUser {
  const { user, record } = known;
  const kept = keptResource(known);
  const own = ownEmails(user);
  // The value of `active` from the provider. The user's access may also depend on other causes.
  const active = !user.suspensionCauses.includes('scim');
  const patched = applyPatch({ emails: own, ...kept, active }, steps);
  requireAttributes(USER_SCHEMA, patched);
  if (patched['active'] === undefined) {
    throw new ScimError('invalidValue', 'active must be true or false.');
  }
  if (kept['emails'] === undefined && isSame(patched['emails'], own)) delete patched['emails'];
  const former = mapUser(kept, user.email);
  const wanted = mapUser(patched, user.email);
  const said = {
    ...patched,
    ...(patched['displayName'] === kept['displayName'] ? pick(record.profile, 'displayName') : {}),
    ...(wanted.email === former.email ? saidEmails(patched, known) : {}),
  };
  return { former, wanted, said: mapUser(said, user.email).scim };
}

/** Replaces the locally set address by the provider's address. */
function saidEmails(patched: JsonObject, { user, record }: KnownUser): JsonObject {
  const value = listOf(record.profile['emails'])[0]?.['value'];
  const emails = listOf(patched['emails']);
  if (value === undefined || emails.length === 0) return {};
  return { emails: emails.map(each => (each['value'] === user.email ? Object.assign({}, each, { value }) : each)) };
}

function pick(from: JsonObject, name: string): JsonObject {
  return from[name] === undefined ? {} : { [name]: from[name] };
}

function listOf(value: unknown): JsonObject[] {
  // The schema parsed the list, so its values are objects.
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

function isSame(one: unknown, other: JsonObject[]): boolean {
  return Array.isArray(one) && canonicalJson(one) === canonicalJson(other);
}
