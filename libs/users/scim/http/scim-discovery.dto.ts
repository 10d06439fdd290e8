import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { CONFIG_URN, RESOURCE_TYPE_URN, SCHEMA_URN, USER_URN } from '../protocol/urns.js';

/** Features of the server. */
@ApiSchema({ name: 'GovernanceScimConfigDto' })
export class ScimConfigDto extends dtoOf({
  schemas: f.texts([CONFIG_URN]),
  patch: f.record<object>({ supported: true }, 'Support of PATCH.'),
  bulk: f.record<object>({ supported: false }, 'Support of bulk requests.'),
  filter: f.record<object>(
    { supported: true, maxResults: 200 },
    'Support of filters; maximum number of results per page.',
  ),
  etag: f.record<object>({ supported: true }, 'Versions.'),
  authenticationSchemes: f.records([{ type: 'oauthbearertoken' }], 'How clients authenticate.'),
}) {}

/** A resource type. */
@ApiSchema({ name: 'GovernanceScimResourceTypeDto' })
export class ScimResourceTypeDto extends dtoOf({
  schemas: f.texts([RESOURCE_TYPE_URN]),
  name: f.text('User'),
  endpoint: f.text('/Users', 'Path of its resources.'),
  schema: f.text(USER_URN, 'URN of its schema.'),
}) {}

/** The attributes of a resource type. */
@ApiSchema({ name: 'GovernanceScimSchemaDto' })
export class ScimSchemaDto extends dtoOf({
  schemas: f.texts([SCHEMA_URN]),
  id: f.text(USER_URN, 'Name of the schema.'),
  attributes: f.records([{ name: 'userName', type: 'string' }], 'Attributes that the server stores.'),
}) {}
