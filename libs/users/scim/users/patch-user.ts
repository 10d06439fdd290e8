import { canonicalJson, type JsonObject } from '#core';
import { applyPatch } from '../protocol/apply-patch.js';
import type { PatchStep } from '../protocol/patch-request.js';
import { requireAttributes } from '../protocol/read-resource.js';
import { ScimError } from '../protocol/scim-error.js';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { keptResource, mapUser, ownEmails, type KnownUser, type MappedUser } from './user-mapping.js';

/** The state of a user that the identity provider requests. */
export interface RequestedUser {
  /** The former state. Only fields in which the requested state differs from it are changed. */
  former: MappedUser;
  wanted: MappedUser;
  /** The resource to store as the data of the provider. */
  said: MappedUser['scim'];
}

/**
 * Applies PATCH operations to the resource as the provider sees it. If no operation touches a field that was changed
 * locally, the local change remains, and so does the provider's last value.
 * @throws ScimError
 */
export function patchUser(known: KnownUser, steps: readonly PatchStep[]): RequestedUser {
  const { user, record } = known;
  const kept = keptResource(known);
  const own = ownEmails(user);
  // The value of `active` as the provider has set it. The user's access may also depend on other causes.
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

/** Replaces an address that was set locally by the provider's address. */
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
  // The list was parsed according to the schema, so its values are objects.
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

function isSame(one: unknown, other: JsonObject[]): boolean {
  return Array.isArray(one) && canonicalJson(one) === canonicalJson(other);
}
