import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, FlagField, IgnoresReadOnly, ObjectField, TextField, f, dtoOf } from '#access';
import type { JsonObject } from '#core';
import { RoutingDto } from './routing.dto.js';

const ID = '0199c2a8-e105-7b3c-9d24-6a8f0c5e7b19';
const SETTINGS = {
  description: 'Settings of the platform. `GET /v1/itsm/kinds` has the schema of each kind.',
  example: { instance_url: 'https://acme.service-now.example', assignment_group: 'AI Governance' },
};
const SECRETS = {
  description:
    'Encrypted, sent to the origins of the settings only, and never shown. `GET /v1/itsm/kinds` has the schema of ' +
    'each kind. If you change the origins, enter all secrets again. Every kind has `report_secret`, which is never ' +
    'sent: the platform sends it in the header `X-Report-Secret` of its reports. Kinds whose platform signs its ' +
    'webhooks have `webhook_secret`, which is never sent either.',
  example: { username: 'svc-governance', password: '<PASSWORD>' },
};
const OBJECT = { type: 'object', additionalProperties: true } as const;
const ROUTING = {
  optional: true,
  description:
    'Conditions of the incidents that the connector opens tickets for automatically. An incident must meet all of ' +
    'them; `{}` matches every incident. A person may open a ticket for any incident.',
};
const NAME = {
  max: 255,
  description: 'Name shown to people. Must be unique among your connectors.',
  example: 'Security desk',
} as const;
const ACTIVE = {
  optional: true,
  description: 'Whether the connector is used. Tickets of an inactive connector wait until it is active.',
  example: true,
};
const KIND = {
  max: 64,
  description: 'Kind of platform, one of `GET /v1/itsm/kinds`.',
  example: 'servicenow',
} as const;

function objectFault(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object';
}

const READ_ONLY = ['id', 'org_id', 'created_at', 'updated_at', 'secret_names', 'problem'] as const;

/** Body of `POST /v1/itsm/connectors` (interface specification, section 2.10). */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceCreateConnectorDto' })
export class CreateConnectorDto {
  @TextField(KIND)
  kind!: string;

  @TextField(NAME)
  name!: string;

  @FlagField({ ...ACTIVE, default: true })
  active?: boolean;

  @CheckedField(SETTINGS, OBJECT, objectFault)
  settings!: JsonObject;

  @CheckedField(SECRETS, OBJECT, objectFault)
  secrets!: JsonObject;

  @ObjectField(() => RoutingDto, ROUTING)
  routing?: RoutingDto;
}

/** Body of `PATCH /v1/itsm/connectors/{id}`: only the supplied fields change. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceChangeConnectorDto' })
export class ChangeConnectorDto {
  @TextField({ ...KIND, optional: true, description: 'Cannot change. You may send the current value.' })
  kind?: string;

  @TextField({ ...NAME, optional: true, example: 'Desk of the security team' })
  name?: string;

  @FlagField(ACTIVE)
  active?: boolean;

  @CheckedField({ ...SETTINGS, optional: true, description: 'Replaces all settings.' }, OBJECT, objectFault)
  settings?: JsonObject;

  @CheckedField(
    {
      ...SECRETS,
      optional: true,
      description: `Replaces the supplied secrets; null removes one. ${SECRETS.description}`,
      example: { password: '<PASSWORD>' },
    },
    OBJECT,
    objectFault,
  )
  secrets?: JsonObject;

  @ObjectField(() => RoutingDto, {
    ...ROUTING,
    description: `In place of the routing of before, whole. ${ROUTING.description}`,
  })
  routing?: RoutingDto;
}

/** The problem because of which a connector opens no tickets. */
@ApiSchema({ name: 'GovernanceConnectorProblemDto' })
class ConnectorProblemDto extends dtoOf({
  code: f.text('auth', 'auth, forbidden, config, field or hibernating.'),
  message: f.text('The instance refused the user name or the password.'),
  since: f.instant('2026-11-20T13:00:00.000Z'),
}) {}

/** A connector as the API shows it, without its secrets. */
@ApiSchema({ name: 'GovernanceConnectorResponseDto' })
export class ConnectorResponseDto extends dtoOf({
  id: f.uuid(ID),
  org_id: f.uuid('0199c2a8-5d07-7a44-93be-4f8e21d06c72'),
  kind: f.text(KIND.example),
  name: f.text(NAME.example),
  active: f.flag(true),
  settings: f.of<JsonObject>({ ...OBJECT, example: SETTINGS.example }),
  routing: f.nested(RoutingDto, ROUTING.description),
  secret_names: f.texts(['password', 'username'], 'Names of the stored secrets.'),
  problem: f
    .nested(
      ConnectorProblemDto,
      'Why the connector cannot open tickets. They wait, and one is retried every 5 minutes. A change of the ' +
        'connector or a successful test clears the problem at once.',
      null,
    )
    .nullable(),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  updated_at: f.instant('2026-11-20T13:00:00.000Z'),
}) {}
