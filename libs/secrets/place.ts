import { canonicalJson, isUuid, type SecretPlace } from '#core';

/**
 * The place as the database spells it, whatever case its ids came in: a secret is bound to its place letter by letter.
 * @throws TypeError when an id is no UUID, or the owner or name is empty.
 */
export function normalPlace({ orgId, owner, ownerId, name }: SecretPlace): SecretPlace {
  if (!isUuid(orgId) || !isUuid(ownerId)) throw new TypeError('place: orgId and ownerId must be UUIDs');
  if (owner === '' || name === '') throw new TypeError('place: owner and name must not be empty');
  return { orgId: orgId.toLowerCase(), owner, ownerId: ownerId.toLowerCase(), name };
}

/** What a ciphertext is bound to, as bytes. JSON of a list: no two lists of texts share one. */
export function bindingOf(purpose: string, place: SecretPlace, ...more: readonly string[]): Buffer {
  return Buffer.from(canonicalJson([purpose, ...more, place.orgId, place.owner, place.ownerId, place.name]), 'utf8');
}
