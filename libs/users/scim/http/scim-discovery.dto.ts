import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { CONFIG_URN, RESOURCE_TYPE_URN, SCHEMA_URN, USER_URN } from '../protocol/urns.js';

const FEATURE = { type: 'object', additionalProperties: true } as const;
const LIST = { type: 'array', items: FEATURE } as const;

/** What the server can do. */
@ApiSchema({ name: 'GovernanceScimConfigDto' })
export class ScimConfigDto {
  @ApiProperty({ type: [String], example: [CONFIG_URN] })
  schemas!: string[];

  @ApiProperty({ ...FEATURE, description: 'Changes of parts.', example: { supported: true } })
  patch!: object;

  @ApiProperty({ ...FEATURE, description: 'Many requests in one.', example: { supported: false } })
  bulk!: object;

  @ApiProperty({
    ...FEATURE,
    description: 'Filters, and results on a page.',
    example: { supported: true, maxResults: 200 },
  })
  filter!: object;

  @ApiProperty({ ...FEATURE, description: 'Versions.', example: { supported: true } })
  etag!: object;

  @ApiProperty({ ...LIST, description: 'How clients prove who they are.', example: [{ type: 'oauthbearertoken' }] })
  authenticationSchemes!: object[];
}

/** A kind of resources. */
@ApiSchema({ name: 'GovernanceScimResourceTypeDto' })
export class ScimResourceTypeDto {
  @ApiProperty({ type: [String], example: [RESOURCE_TYPE_URN] })
  schemas!: string[];

  @ApiProperty({ example: 'User' })
  name!: string;

  @ApiProperty({ description: 'Where its resources are.', example: '/Users' })
  endpoint!: string;

  @ApiProperty({ description: 'Its schema.', example: USER_URN })
  schema!: string;
}

/** The attributes of a kind of resources. */
@ApiSchema({ name: 'GovernanceScimSchemaDto' })
export class ScimSchemaDto {
  @ApiProperty({ type: [String], example: [SCHEMA_URN] })
  schemas!: string[];

  @ApiProperty({ description: 'Its name.', example: USER_URN })
  id!: string;

  @ApiProperty({ ...LIST, description: 'What is kept.', example: [{ name: 'userName', type: 'string' }] })
  attributes!: object[];
}
