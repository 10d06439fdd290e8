import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { CONFIG_URN, RESOURCE_TYPE_URN, SCHEMA_URN, USER_URN } from '../protocol/urns.js';

const FEATURE = { type: 'object', additionalProperties: true } as const;
const LIST = { type: 'array', items: FEATURE } as const;

/** What the server can do. */
@ApiSchema({ name: 'GovernanceScimConfigDto' })
export class ScimConfigDto {
  @ApiProperty({ type: [String], example: [CONFIG_URN] })
  schemas!: string[];

  @ApiProperty({ ...FEATURE, description: 'Support of PATCH.', example: { supported: true } })
  patch!: object;

  @ApiProperty({ ...FEATURE, description: 'Support of bulk requests.', example: { supported: false } })
  bulk!: object;

  @ApiProperty({
    ...FEATURE,
    description: 'Support of filters; maximum number of results per page.',
    example: { supported: true, maxResults: 200 },
  })
  filter!: object;

  @ApiProperty({ ...FEATURE, description: 'Versions.', example: { supported: true } })
  etag!: object;

  @ApiProperty({ ...LIST, description: 'How clients authenticate.', example: [{ type: 'oauthbearertoken' }] })
  authenticationSchemes!: object[];
}

/** A kind of resources. */
@ApiSchema({ name: 'GovernanceScimResourceTypeDto' })
export class ScimResourceTypeDto {
  @ApiProperty({ type: [String], example: [RESOURCE_TYPE_URN] })
  schemas!: string[];

  @ApiProperty({ example: 'User' })
  name!: string;

  @ApiProperty({ description: 'Path of its resources.', example: '/Users' })
  endpoint!: string;

  @ApiProperty({ description: 'URN of its schema.', example: USER_URN })
  schema!: string;
}

/** The attributes of a kind of resources. */
@ApiSchema({ name: 'GovernanceScimSchemaDto' })
export class ScimSchemaDto {
  @ApiProperty({ type: [String], example: [SCHEMA_URN] })
  schemas!: string[];

  @ApiProperty({ description: 'Name of the schema.', example: USER_URN })
  id!: string;

  @ApiProperty({
    ...LIST,
    description: 'Attributes that the server stores.',
    example: [{ name: 'userName', type: 'string' }],
  })
  attributes!: object[];
}
