import { canonicalJson, isUuid, type SecretPlace } from '#core';

/**
 * The place with its ids in lower case, as in the database, because a secret is bound to the exact characters.
 * @throws TypeError if an id is not a UUID, or the owner or name is empty
 */
export function normalPlace({ orgId, owner, ownerId, name }: SecretPlace): SecretPlace {
  if (!isUuid(orgId) || !isUuid(ownerId)) throw new TypeError('place: orgId and ownerId must be UUIDs');
  if (owner === '' || name === '') throw new TypeError('place: owner and name must not be empty');
  return { orgId: orgId.toLowerCase(), owner, ownerId: ownerId.toLowerCase(), name };
}

/** The bytes that a ciphertext is bound to. The JSON of a list is unambiguous. */
export function bindingOf(purpose: string, place: SecretPlace, ...more: readonly string[]): Buffer {
  return Buffer.from(canonicalJson([purpose, ...more, place.orgId, place.owner, place.ownerId, place.name]), 'utf8');
}
