import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditLog, OrganizationNotFoundError, type Actor } from '#access';
import { BadRequestError, Clock } from '#core';
import { OrgDatabase } from '#database';
import { admits, DEFAULT_NETWORKS, faultsOf, NETWORKS_MAX } from './allowed-networks.js';
import { InboundSettings } from './inbound-settings.entity.js';

/** The networks that may send ticket reports. */
export interface ShownInboundSettings {
  readonly allowedNetworks: readonly string[];
  /** Whether the organization has configured nothing, so that the default applies. */
  readonly isDefault: boolean;
  readonly updatedAt: Date | null;
}

const UNSAID: ShownInboundSettings = { allowedNetworks: DEFAULT_NETWORKS, isDefault: true, updatedAt: null };

/** Manages the allow-list of ticket reports. */
@Injectable()
export class InboundSettingsService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** The settings of an organization. If it has none or does not exist, the default settings. */
  async get(orgId: string): Promise<ShownInboundSettings> {
    try {
      return await this.database.transaction(orgId, async em => shown(await em.findOne(InboundSettings, { orgId })));
    } catch (error) {
      if (error instanceof OrganizationNotFoundError) return UNSAID;
      throw error;
    }
  }

  /** Whether a request from this address may report on tickets of the organization. */
  async admits(orgId: string, address: string | null): Promise<boolean> {
    return admits((await this.get(orgId)).allowedNetworks, address);
  }

  /**
   * Replaces the allow-list. Null restores the default. If nothing changes, no audit entry is written.
   * @throws BadRequestError naming every entry that is not a network
   */
  async replace(actor: Actor, networks: readonly string[] | null): Promise<ShownInboundSettings> {
    const wanted = networks === null ? null : checked(networks);
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const found = await em.findOne(InboundSettings, { orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const before = shown(found);
      if (sameList(found?.allowedNetworks ?? null, wanted)) return before;
      const updatedAt = this.clock.now();
      if (wanted === null && found) em.remove(found);
      else await em.upsert(InboundSettings, { orgId, allowedNetworks: wanted ?? [], updatedAt });
      const after = wanted === null ? UNSAID : { allowedNetworks: wanted, isDefault: false, updatedAt };
      await this.audit.append(em, actor, {
        action: 'itsm_inbound.updated',
        resourceType: 'itsm_inbound',
        resourceId: orgId,
        before: { allowed_networks: [...before.allowedNetworks] },
        after: { allowed_networks: [...after.allowedNetworks] },
      });
      return after;
    });
  }
}

function shown(found: InboundSettings | null): ShownInboundSettings {
  if (!found) return UNSAID;
  return { allowedNetworks: found.allowedNetworks, isDefault: false, updatedAt: found.updatedAt };
}

function checked(networks: readonly string[]): string[] {
  // The number of entries is checked before any entry is parsed, so that a long list is refused quickly.
  if (networks.length > NETWORKS_MAX) {
    throw BadRequestError.field('allowed_networks', `must have at most ${NETWORKS_MAX} entries`);
  }
  const faults = faultsOf(networks);
  if (faults.length > 0) throw BadRequestError.fields(faults);
  return [...new Set(networks.map(network => network.trim()))];
}

function sameList(before: readonly string[] | null, after: readonly string[] | null): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
