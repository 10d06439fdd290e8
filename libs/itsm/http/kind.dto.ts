import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { AdapterCapabilities } from '../adapter/itsm-adapter.port.js';
import type { JsonObject } from '#core';

const TEXT = { type: 'string', minLength: 1 };

/** What tickets of a platform can have. */
@ApiSchema({ name: 'GovernanceCapabilitiesDto' })
class CapabilitiesDto implements AdapterCapabilities {
  @ApiProperty({ example: true })
  priority!: boolean;

  @ApiProperty({ example: true })
  labels!: boolean;

  @ApiProperty({ example: true })
  comment!: boolean;

  @ApiProperty({
    enum: ['strong', 'eventual', 'none'],
    description: 'How the service finds a ticket after a lost answer. With `none`, a person must look for it.',
    example: 'strong',
  })
  findByKey!: AdapterCapabilities['findByKey'];
}

/** A platform that connectors can be created for. */
@ApiSchema({ name: 'GovernanceConnectorKindDto' })
export class ConnectorKindDto {
  @ApiProperty({ example: 'servicenow' })
  kind!: string;

  @ApiProperty({ example: 'ServiceNow' })
  title!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (2020-12) of `settings`.',
    example: { type: 'object', required: ['instance_url'], properties: { instance_url: TEXT } },
  })
  settings_schema!: JsonObject;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (2020-12) of `secrets`.',
    example: { type: 'object', required: ['username', 'password'], properties: { username: TEXT, password: TEXT } },
  })
  secrets_schema!: JsonObject;

  @ApiProperty({ type: CapabilitiesDto })
  capabilities!: CapabilitiesDto;
}

/** All platforms, on one page. */
@ApiSchema({ name: 'GovernanceConnectorKindsDto' })
export class ConnectorKindsDto {
  @ApiProperty({ type: [ConnectorKindDto] })
  items!: ConnectorKindDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null.', example: null })
  next_cursor!: string | null;

  @ApiProperty({ description: 'Always false.', example: false })
  has_more!: boolean;

  @ApiProperty({ type: 'integer', example: 1 })
  total_count!: number;
}
