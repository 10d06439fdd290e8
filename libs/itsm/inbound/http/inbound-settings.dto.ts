import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { CheckedField, IgnoresReadOnly } from '#access';
import { NETWORKS_MAX } from '../settings/allowed-networks.js';
import type { ShownInboundSettings } from '../settings/inbound-settings.service.js';

const EXAMPLE = ['203.0.113.0/24', '2001:db8:7::/48'];

/** Who may report on tickets. */
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
export class InboundSettingsResponseDto {
  @ApiProperty({ type: [String], example: EXAMPLE })
  allowed_networks!: string[];

  @ApiProperty({ description: 'True if the default applies: loopback and private networks.', example: false })
  is_default!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T13:00:00.000Z' })
  updated_at!: string | null;
}

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
