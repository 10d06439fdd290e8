import { ApiSchema } from '@nestjs/swagger';
import { f, dtoOf } from '#access';
import type { AdapterCapabilities } from '../adapter/itsm-adapter.port.js';
import type { JsonObject } from '#core';

const TEXT = { type: 'string', minLength: 1 };

/** Capabilities of a platform. */
@ApiSchema({ name: 'GovernanceCapabilitiesDto' })
class CapabilitiesDto
  extends dtoOf({
    priority: f.flag(true),
    labels: f.flag(true),
    comment: f.flag(true),
    findByKey: f.choice<AdapterCapabilities['findByKey']>(
      ['strong', 'eventual', 'none'],
      'strong',
      'How the service finds a ticket after a lost answer. With `none`, a person must look for it.',
    ),
  })
  implements AdapterCapabilities {}

/** A platform for which connectors can be created. */
@ApiSchema({ name: 'GovernanceConnectorKindDto' })
export class ConnectorKindDto extends dtoOf({
  kind: f.text('servicenow'),
  title: f.text('ServiceNow'),
  settings_schema: f.record<JsonObject>(
    { type: 'object', required: ['instance_url'], properties: { instance_url: TEXT } },
    'JSON Schema (2020-12) of `settings`.',
  ),
  secrets_schema: f.record<JsonObject>(
    { type: 'object', required: ['username', 'password'], properties: { username: TEXT, password: TEXT } },
    'JSON Schema (2020-12) of `secrets`.',
  ),
  capabilities: f.nested(CapabilitiesDto),
}) {}
