import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, TextField, UuidField, f, dtoOf } from '#access';
import { isStorableText, isUuid, SEVERITIES, type Severity } from '#core';
import { ROUTE_REASONS, type Routing } from '../decide/routing.js';

/** Maximum length of a list. */
const ENTRIES_MAX = 100;
const DEPARTMENT_MAX = 255;
const POLICY = '0199c2a8-6e01-7f20-9c33-2d5b7a1e8f04';
const LIST = { type: 'array', minItems: 1, maxItems: ENTRIES_MAX } as const;

function listFault(value: unknown, isEntry: (entry: unknown) => boolean, entry: string): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length === 0) return 'must have at least one entry; leave the field out for no condition';
  if (value.length > ENTRIES_MAX) return `must have at most ${ENTRIES_MAX} entries`;
  return value.every(isEntry) ? undefined : `each entry must be ${entry}`;
}

function isDepartment(entry: unknown): boolean {
  return (
    typeof entry === 'string' &&
    entry.trim() !== '' &&
    Array.from(entry).length <= DEPARTMENT_MAX &&
    isStorableText(entry)
  );
}

/** A condition of routing: ids of policies. */
export function PolicyListField(description: string): PropertyDecorator {
  return CheckedField(
    { optional: true, description, example: [POLICY] },
    { ...LIST, items: { type: 'string', format: 'uuid' } },
    value => listFault(value, isUuid, 'a UUID'),
  );
}

/** A condition of routing: names of departments. */
export function DepartmentListField(description: string): PropertyDecorator {
  return CheckedField(
    { optional: true, description, example: ['Sales'] },
    { ...LIST, items: { type: 'string', minLength: 1, maxLength: DEPARTMENT_MAX } },
    value => listFault(value, isDepartment, `a text of 1 to ${DEPARTMENT_MAX} characters`),
  );
}

/** Selects the incidents for which a connector opens tickets. */
@ApiSchema({ name: 'GovernanceConnectorRoutingDto' })
export class RoutingDto implements Routing {
  @ChoiceField(SEVERITIES, {
    optional: true,
    description: 'Only incidents of this severity, or a worse one.',
    example: 'high',
  })
  min_severity?: Severity;

  @PolicyListField('Only incidents of these policies, by id; no anomalies.')
  policies?: readonly string[];

  @DepartmentListField('Only incidents about people of these departments.')
  departments?: readonly string[];
}

/** Body of `POST /v1/itsm/route`: a stored incident, or the description of one. */
@ApiSchema({ name: 'GovernanceRouteTicketDto' })
export class RouteTicketDto {
  @UuidField({ optional: true, description: 'A stored incident, as it is now. Give no other field besides.' })
  incident_id?: string;

  @ChoiceField(SEVERITIES, {
    optional: true,
    description: 'Severity of the incident. Required without `incident_id`.',
    example: 'high',
  })
  severity?: Severity;

  @TextField({
    max: DEPARTMENT_MAX,
    optional: true,
    description: 'Department of the person whom the incident is about. Default: none.',
    example: 'Sales',
  })
  department?: string;

  @UuidField({
    optional: true,
    description: 'Policy that is violated. Default: none, as for an anomaly.',
    example: POLICY,
  })
  policy_id?: string;
}

@ApiSchema({ name: 'GovernanceRouteReasonDto' })
class RouteReasonDto extends dtoOf({
  code: f.choice(ROUTE_REASONS, 'below_min_severity'),
  message: f.text('The connector opens tickets from severity critical on.'),
}) {}

@ApiSchema({ name: 'GovernanceConnectorRouteDto' })
class ConnectorRouteDto extends dtoOf({
  connector_id: f.uuid('0199c2a8-e105-7b3c-9d24-6a8f0c5e7b19'),
  name: f.text('Security desk'),
  kind: f.text('servicenow'),
  opens_ticket: f.flag(false, 'Whether it would open a ticket.'),
  reasons: f.listOf(
    RouteReasonDto,
    'With `opens_ticket`: `matches`, and `paused` if the ticket would wait for a problem of the connector to be ' +
      'solved. Otherwise every reason against it.',
  ),
}) {}

/** The decisions of all connectors. */
@ApiSchema({ name: 'GovernanceTicketRoutesDto' })
export class TicketRoutesDto extends dtoOf({
  connectors: f.listOf(ConnectorRouteDto, 'All connectors of the organization, by name.'),
}) {}
