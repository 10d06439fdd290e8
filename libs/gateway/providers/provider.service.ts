import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, type JsonObject } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { GatewayProvider, type ProviderFields } from './provider.entity.js';
import { ProviderNotFoundError, PROVIDERS_MAX, TooManyProvidersError } from './provider.errors.js';
import { ProviderKeys } from './provider-keys.js';
import { PROVIDERS_TOPIC } from './providers.topic.js';

/** A provider as entered by an administrator. */
export interface ProviderSettings extends ProviderFields {
  /** The key; null removes it, undefined keeps the current one. */
  readonly apiKey: string | null | undefined;
}

/**
 * Creates, changes and deletes the providers of an organization. Each change is one transaction with its audit entry.
 */
@Injectable()
export class ProviderService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly keys: ProviderKeys,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Creates a provider, or replaces the provider with that name. Writes nothing if nothing differs.
   * @param baseUrl a URL from `readBaseUrl`
   * @throws BadRequestError if the key is missing, or if the origin differs and the key was not entered again
   * @throws TooManyProvidersError
   */
  async put(actor: Actor, name: string, { apiKey, ...fields }: ProviderSettings): Promise<GatewayProvider> {
    const { orgId } = actor;
    const stored = await this.database.transaction(orgId, async em => {
      await lockProviders(em, orgId);
      const known = await em.findOne(GatewayProvider, { orgId, name });
      const before = known && audited(known);
      const provider = known ?? (await this.add(em, orgId, name, fields));
      const now = this.clock.now();
      const keyChanged = await this.keepKey(em, { provider, isNew: known === null }, fields, apiKey);
      if (!provider.replace(fields, now) && !keyChanged && known) return provider;
      await this.remember(em, actor, known ? 'updated' : 'created', provider.id, before, {
        ...audited(provider),
        ...(keyChanged ? { api_key_changed: true } : {}),
      });
      return provider;
    });
    await this.changes.refresh(orgId);
    return stored;
  }

  /** @throws ProviderNotFoundError */
  async get(orgId: string, name: string): Promise<GatewayProvider> {
    return this.database.transaction(orgId, em => findProvider(em, orgId, name));
  }

  /** Deletes a provider and its key. Running calls continue to their end. @throws ProviderNotFoundError */
  async delete(actor: Actor, name: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      await lockProviders(em, orgId);
      const provider = await findProvider(em, orgId, name);
      await this.keys.discard(em, provider);
      em.remove(provider);
      await this.remember(em, actor, 'deleted', provider.id, audited(provider), null);
    });
    await this.changes.refresh(orgId);
  }

  private async add(em: EntityManager, orgId: string, name: string, fields: ProviderFields): Promise<GatewayProvider> {
    if ((await em.count(GatewayProvider, { orgId })) >= PROVIDERS_MAX) throw new TooManyProvidersError();
    const now = this.clock.now();
    const provider = GatewayProvider.create(orgId, newId(now), name, fields, now);
    em.persist(provider);
    return provider;
  }

  /**
   * Stores or deletes the key. Returns whether the key changed. A key is sent only to the origin for which it was
   * entered.
   */
  private async keepKey(
    em: EntityManager,
    { provider, isNew }: { provider: GatewayProvider; isNew: boolean },
    { kind, baseUrl }: ProviderFields,
    apiKey: string | null | undefined,
  ): Promise<boolean> {
    const { orgId, id } = provider;
    const { origin } = new URL(baseUrl);
    const now = this.clock.now();
    if (typeof apiKey === 'string') {
      await this.keys.put(em, { orgId, id, origin }, apiKey);
      provider.noteKey(now, now);
      return true;
    }
    const hasKey = provider.keySetAt !== null;
    if (kind !== 'openai_compatible' && (!hasKey || apiKey === null)) {
      throw BadRequestError.field('secrets.api_key', `is required for a provider of kind ${kind}`);
    }
    if (apiKey === undefined && !isNew && hasKey && origin !== provider.origin) {
      throw BadRequestError.field('secrets.api_key', `must be entered again, because the provider is now at ${origin}`);
    }
    if (apiKey === undefined || !hasKey) return false;
    await this.keys.discard(em, provider);
    provider.noteKey(null, now);
    return true;
  }

  private async remember(
    em: EntityManager,
    actor: Actor,
    verb: string,
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    await this.audit.append(em, actor, {
      action: `gateway_provider.${verb}`,
      resourceType: 'gateway_provider',
      resourceId,
      before,
      after,
    });
    await this.changes.mark(em, actor.orgId, PROVIDERS_TOPIC);
  }
}

/** @throws ProviderNotFoundError */
async function findProvider(em: EntityManager, orgId: string, name: string): Promise<GatewayProvider> {
  const provider = await em.findOne(GatewayProvider, { orgId, name });
  if (!provider) throw new ProviderNotFoundError();
  return provider;
}

/** Serializes changes of an organization's providers. */
async function lockProviders(em: EntityManager, orgId: string): Promise<void> {
  await sqlOf(em).query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`governance providers of ${orgId}`]);
}

/** The audit log contains whether there is a key, never the key itself. */
function audited({ name, kind, baseUrl, active, keySetAt }: GatewayProvider): JsonObject {
  return { name, kind, base_url: baseUrl, active, has_api_key: keySetAt !== null };
}
