import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKinds, SettingsKind, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError } from '#core';
import { ReplaceInboundSettingsDto } from '../inbound/http/inbound-settings.dto.js';
import { faultsOf } from '../inbound/settings/allowed-networks.js';
import { InboundSettingsService } from '../inbound/settings/inbound-settings.service.js';

/** The networks that may send ticket reports. This kind handles them in configuration files. */
@Injectable()
export class InboundConfiguration extends SettingsKind {
  override readonly kind = 'inbound_settings';
  override readonly rank = 80;
  override readonly reads = ['itsm:read'] as const;
  override readonly writes = 'itsm:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly settings: InboundSettingsService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const { allowedNetworks, isDefault } = await this.settings.get(orgId);
    const fields = { allowed_networks: isDefault ? null : [...allowedNetworks] };
    return [{ id: orgId, name: this.kind, fields }];
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const { allowed_networks: given } = readInput(ReplaceInboundSettingsDto, entry, 'body');
    const faults = faultsOf(given ?? []);
    if (faults.length > 0) throw BadRequestError.fields(faults);
    const fields = { allowed_networks: given && [...new Set(given.map(network => network.trim()))] };
    return { name: this.kind, fields };
  }

  override async update(actor: Actor, _id: string, { fields }: WantedObject): Promise<void> {
    const networks = fields['allowed_networks'];
    await this.settings.replace(actor, Array.isArray(networks) ? networks.map(String) : null);
  }
}
