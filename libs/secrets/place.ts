import { canonicalJson, isUuid, type SecretPlace } from '#core';

/**
 * The place with its ids in lower case, as the database stores them. A secret is bound to the exact characters of its
 * place.
 * @throws TypeError if an id is not a UUID, or the owner or name is empty
 */
export function normalPlace({ orgId, owner, ownerId, name }: SecretPlace): SecretPlace {
  if (!isUuid(orgId) || !isUuid(ownerId)) throw new TypeError('place: orgId and ownerId must be UUIDs');
  if (owner === '' || name === '') throw new TypeError('place: owner and name must not be empty');
  return { orgId: orgId.toLowerCase(), owner, ownerId: ownerId.toLowerCase(), name };
}

/** The bytes to which a ciphertext is bound. They are a list as JSON, which is unambiguous. */
export function bindingOf(purpose: string, place: SecretPlace, ...more: readonly string[]): Buffer {
  return Buffer.from(canonicalJson([purpose, ...more, place.orgId, place.owner, place.ownerId, place.name]), 'utf8');
}
