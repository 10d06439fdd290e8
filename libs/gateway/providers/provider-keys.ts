import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadableError, type SecretPlace } from '#core';
import { SecretVault } from '#secrets';

const OWNER = 'gateway_providers';

/** A key, and the only origin to which it may be sent. */
interface BoundKey {
  readonly origin: string;
  readonly key: string;
}

/** A provider and its origin. */
interface Owner {
  readonly orgId: string;
  readonly id: string;
  readonly origin: string;
}

/** Stores the encrypted keys of providers. Each key is stored with the origin for which it was entered. */
@Injectable()
export class ProviderKeys {
  constructor(private readonly vault: SecretVault) {}

  /** Stores a key and replaces the previous one. */
  async put(em: EntityManager, owner: Owner, key: string): Promise<void> {
    const bound: BoundKey = { origin: owner.origin, key };
    await this.vault.put(em, placeOf(owner), JSON.stringify(bound));
  }

  /**
   * The keys in the order of the providers; undefined if a provider has no key. If a key cannot be read, the reason is
   * returned instead.
   */
  async of(em: EntityManager, owners: readonly Owner[]): Promise<(string | undefined | SecretUnreadableError)[]> {
    const sealed = await this.vault.getMany(em, owners.map(placeOf));
    return owners.map((owner, at) => opened(owner, sealed[at]));
  }

  /** Deletes the key. */
  async discard(em: EntityManager, { orgId, id }: Owner): Promise<void> {
    await this.vault.deleteAll(em, orgId, OWNER, id);
  }
}

function opened(
  owner: Owner,
  secret: string | undefined | SecretUnreadableError,
): string | undefined | SecretUnreadableError {
  if (typeof secret !== 'string') return secret;
  // Only `put()` writes this secret, so its type is known.
  const { origin, key } = JSON.parse(secret) as BoundKey;
  return origin === owner.origin
    ? key
    : new SecretUnreadableError(placeOf(owner), 'it was entered for another address');
}

function placeOf({ orgId, id }: Owner): SecretPlace {
  return { orgId, owner: OWNER, ownerId: id, name: 'api_key' };
}
