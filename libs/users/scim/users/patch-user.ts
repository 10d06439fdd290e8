import { canonicalJson, type JsonObject } from '#core';
import { applyPatch } from '../protocol/apply-patch.js';
import type { PatchStep } from '../protocol/patch-request.js';
import { requireAttributes } from '../protocol/read-resource.js';
import { ScimError } from '../protocol/scim-error.js';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { keptResource, mapUser, ownEmails, type KnownUser, type MappedUser } from './user-mapping.js';

/** What an identity provider wants a user to be. */
export interface UserWish {
  /** What the wish is compared with: only what differs is changed here. */
  former: MappedUser;
  wanted: MappedUser;
  /** What is to be kept as said. */
  said: MappedUser['scim'];
}

/**
 * What a user becomes by the steps, which work on what is shown of it. Of what was changed here and no step changes,
 * the provider has still said what it said before.
 * @throws ScimError
 */
export function patchUser(known: KnownUser, steps: readonly PatchStep[]): UserWish {
  const { user, record } = known;
  const kept = keptResource(known);
  const own = ownEmails(user);
  // What the provider wants; whether the user has access may hang on more.
  const active = !user.suspensionCauses.includes('scim');
  const patched = applyPatch({ emails: own, ...kept, active }, steps);
  requireAttributes(USER_SCHEMA, patched);
  if (patched['active'] === undefined) {
    throw new ScimError('invalidValue', 'active must be true or false: a user has access or has none.');
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

/** The addresses with the one that was told in place of the one that was set here. */
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
  // What is kept of a list was read by the schema: its values are objects.
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

function isSame(one: unknown, other: JsonObject[]): boolean {
  return Array.isArray(one) && canonicalJson(one) === canonicalJson(other);
}
