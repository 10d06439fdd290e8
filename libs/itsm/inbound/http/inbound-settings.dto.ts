import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, IgnoresReadOnly, f, dtoOf } from '#access';
import { NETWORKS_MAX } from '../settings/allowed-networks.js';
import type { ShownInboundSettings } from '../settings/inbound-settings.service.js';

const EXAMPLE = ['203.0.113.0/24', '2001:db8:7::/48'];

/** Body of `PUT /v1/itsm/inbound-settings`. */
@IgnoresReadOnly('is_default', 'updated_at')
@ApiSchema({ name: 'GovernanceReplaceInboundSettingsDto' })
export class ReplaceInboundSettingsDto {
  @CheckedField(
    {
      nullable: true,
      example: EXAMPLE,
      description:
        'Networks (CIDR) or addresses that may send reports. An empty list rejects all reports. Null restores the ' +
        'default: loopback and private networks.',
    },
    { type: [String], maxItems: NETWORKS_MAX },
    value => (isListOfTexts(value) ? undefined : 'must be a list of strings, or null'),
  )
  allowed_networks!: string[] | null;
}

/** The settings as the API shows them. */
@ApiSchema({ name: 'GovernanceInboundSettingsResponseDto' })
export class InboundSettingsResponseDto extends dtoOf({
  allowed_networks: f.texts(EXAMPLE),
  is_default: f.flag(false, 'True if the default applies: loopback and private networks.'),
  updated_at: f.instant('2026-11-20T13:00:00.000Z').nullable(),
}) {}

export function presentInboundSettings(settings: ShownInboundSettings): InboundSettingsResponseDto {
  return {
    allowed_networks: [...settings.allowedNetworks],
    is_default: settings.isDefault,
    updated_at: settings.updatedAt?.toISOString() ?? null,
  };
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(entry => typeof entry === 'string');
}
