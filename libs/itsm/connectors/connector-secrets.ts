import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadableError, type JsonObject, type SecretPlace } from '#core';
import { SecretVault } from '#secrets';
import type { ReportSecretName } from './report-secret.js';

const OWNER = 'itsm_connectors';

/** Secrets of a connector, and the only origins to which they may be sent. */
interface BoundSecrets {
  readonly origins: readonly string[];
  readonly values: JsonObject;
}

/** Organization and id of a connector. */
interface Owner {
  readonly orgId: string;
  readonly id: string;
}

/**
 * Stores the secrets of a connector in one encrypted entry. The entry also contains the origins for which the secrets
 * were entered.
 */
@Injectable()
export class ConnectorSecrets {
  constructor(private readonly vault: SecretVault) {}

  /** Stores the secrets of a connector, and replaces those stored before. */
  async put(em: EntityManager, owner: Owner, origins: readonly string[], values: JsonObject): Promise<void> {
    const bound: BoundSecrets = { origins: origins.toSorted(), values };
    await this.vault.put(em, placeOf(owner), JSON.stringify(bound));
  }

  /**
   * Returns secrets by the id of the connector. Instead of secrets, returns an error if they cannot be read, or were
   * entered for other origins.
   */
  async of(
    em: EntityManager,
    owners: readonly (Owner & { readonly origins: readonly string[] })[],
  ): Promise<Map<string, JsonObject | SecretUnreadableError>> {
    const sealed = await this.vault.getMany(em, owners.map(placeOf));
    return new Map(owners.map((owner, at) => [owner.id, opened(owner, sealed[at])]));
  }

  /** Stores a secret of reports, or deletes it if `secret` is null. */
  async putReportSecret(em: EntityManager, owner: Owner, name: ReportSecretName, secret: string | null): Promise<void> {
    if (secret === null) await this.vault.delete(em, reportPlaceOf(owner, name));
    else await this.vault.put(em, reportPlaceOf(owner, name), secret);
  }

  /**
   * Reads the report secret `name` of each connector, in the order of `owners`. Undefined for a connector whose secret
   * is missing or unreadable.
   */
  async reportSecretsOf(
    em: EntityManager,
    owners: readonly Owner[],
    name: ReportSecretName,
  ): Promise<(string | undefined)[]> {
    const places = owners.map(owner => reportPlaceOf(owner, name));
    const found = await this.vault.getMany(em, places);
    return found.map(secret => (typeof secret === 'string' ? secret : undefined));
  }

  /** Deletes all secrets of a connector, including those of reports. */
  async discard(em: EntityManager, { orgId, id }: Owner): Promise<void> {
    await this.vault.deleteAll(em, orgId, OWNER, id);
  }
}

function opened(
  owner: Owner & { readonly origins: readonly string[] },
  secret: string | undefined | SecretUnreadableError,
): JsonObject | SecretUnreadableError {
  if (secret instanceof SecretUnreadableError) return secret;
  if (secret === undefined) return new SecretUnreadableError(placeOf(owner), 'it is missing');
  // Only put() writes this entry.
  const { origins, values } = JSON.parse(secret) as BoundSecrets;
  const isBound = JSON.stringify(origins) === JSON.stringify(owner.origins.toSorted());
  return isBound ? values : new SecretUnreadableError(placeOf(owner), 'it was entered for another address');
}

function placeOf({ orgId, id }: Owner): SecretPlace {
  return { orgId, owner: OWNER, ownerId: id, name: 'secrets' };
}

function reportPlaceOf({ orgId, id }: Owner, name: ReportSecretName): SecretPlace {
  return { orgId, owner: OWNER, ownerId: id, name };
}
