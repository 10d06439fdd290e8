import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, PageQueryDto, TextField, UuidField, f, dtoOf } from '#access';
import { SEVERITIES, type Json, type JsonObject } from '#core';
import type { Check } from '../adapter/itsm-adapter.port.js';
import { CHANGE_KINDS } from '../adapter/ticket-change.js';
import type { RenderedTicket } from '../adapter/ticket-draft.js';
import { TICKET_STATUSES, type TicketStatus } from '../adapter/ticket-state.js';
import type { ShownTicket } from '../tickets/ticket-rows.js';
import { CHANGE_RESULTS } from '../decide/after-update.js';
import { SYNC_STATES, type SyncState } from '../decide/progress.js';

const CONNECTOR = '0199c2a8-e105-7b3c-9d24-6a8f0c5e7b19';
const INCIDENT = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const SEEN = '2026-11-20T13:00:00.000Z';
const TITLE =
  '[Service] policy_violation: Blocked: openai/gpt-4o for ada@example.com (policy “Large models are for Research”)';

/** Query of `GET /v1/itsm/tickets`. */
export class TicketQueryDto extends PageQueryDto {
  @ChoiceField(TICKET_STATUSES, { optional: true, description: 'Only tickets with this status on the platform.' })
  status?: TicketStatus;

  @ChoiceField(SYNC_STATES, { optional: true, description: 'Only tickets in this state of creation.' })
  sync_state?: SyncState;

  @UuidField({ optional: true, description: 'Only tickets of this connector.' })
  connector_id?: string;

  @UuidField({ optional: true, description: 'Only tickets of this incident.' })
  incident_id?: string;

  @TextField({ max: 64, optional: true, description: 'Only tickets of this kind of platform, such as `jira`.' })
  kind?: string;
}

/** A ticket (interface specification, section 2.9). */
@ApiSchema({ name: 'GovernanceTicketResponseDto' })
export class TicketResponseDto
  extends dtoOf({
    id: f.uuid(
      '0199c2a8-f217-7c4d-8e36-7b901d6f8c2a',
      'Id of the ticket; the ticket on the platform carries it as a key.',
    ),
    org_id: f.uuid('0199c2a8-5d07-7a44-93be-4f8e21d06c72'),
    incident_id: f.uuid(INCIDENT, 'Null for a test ticket.').nullable(),
    connector_id: f.uuid(CONNECTOR, 'The connector of the ticket. It may have been deleted since.'),
    kind: f.text('servicenow'),
    origin: f.choice(['automatic', 'manual', 'chat', 'test'], 'automatic', 'What requested the ticket.'),
    title: f.text(TITLE, 'Title before the platform’s limits are applied.'),
    severity: f.choice(SEVERITIES, 'high'),
    external_ticket_id: f.text('INC0010023', 'Null until it is created.').nullable(),
    url: f
      .of<string>({
        type: String,
        format: 'uri',
        example: 'https://acme.service-now.example/nav_to.do?uri=incident.do?sysparm_query=number=INC0010023',
      })
      .nullable(),
    status: f
      .choice(TICKET_STATUSES, 'open', 'Last status that the platform reported; `open` after creation, null before.')
      .nullable(),
    sync_state: f.choice(
      SYNC_STATES,
      'created',
      '`pending`: will be created. `created`: exists on the platform. `rejected`: was not created; retry it after ' +
        'you fixed the cause. `uncertain`: may exist; the service searches for it before it creates it again.',
    ),
    attempts: f.integer(1, 'Number of attempts to create the ticket.'),
    next_attempt_at: f
      .instant(null, 'Null if no attempt is planned, one is running, or the connector is inactive.')
      .nullable(),
    degraded: f.texts([], 'Values that the platform did not accept, one sentence each.'),
    error_code: f
      .text(
        null,
        '`auth`, `forbidden`, `config`, `field`, `hibernating`, `unreachable`, `uncertain`, `connector_removed` or `fault`.',
      )
      .nullable(),
    error: f.text(null, 'The error as a sentence.').nullable(),
    error_fields: f
      .of<JsonObject>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Errors by field of the platform.',
        example: null,
      })
      .nullable(),
    resolution: f.text(null).nullable(),
    notes: f.text(null).nullable(),
    updated_by: f.text(null).nullable(),
    status_changed_at: f.instant(null).nullable(),
    follows: f
      .uuid(
        null,
        'The ticket of the earlier incident about the same. If both have one `external_ticket_id`, it was reopened.',
      )
      .nullable(),
    change_kind: f
      .choice(CHANGE_KINDS, null, 'The last change that the service tried after the creation; null before the first.')
      .nullable(),
    change_result: f
      .choice(
        CHANGE_RESULTS,
        null,
        '`made`. `kept`: people decided otherwise. `refused`: make the change on the platform yourself. `hidden`: the ' +
          'platform does not show the ticket; the service looks once a day, for 30 days. `unanswered`: a comment that ' +
          'may be missing. `retrying`: the service tries again at `next_change_at`.',
      )
      .nullable(),
    change_error: f.text(null, 'The answer of the platform, if the change was not made or may be missing.').nullable(),
    change_at: f.instant(null, 'When the service tried it.').nullable(),
    next_change_at: f
      .instant(null, 'When the service next changes the ticket or tries again. Null if no change is planned.')
      .nullable(),
    created_at: f.instant(SEEN),
    updated_at: f.instant(SEEN),
  })
  implements ShownTicket {}

/** Preview of a ticket. */
@ApiSchema({ name: 'GovernanceRenderedTicketDto' })
export class RenderedTicketDto
  extends dtoOf({
    title: f.text(TITLE),
    description: f.text('{\n  "severity": "high",\n  "provider": "openai",\n  "model": "gpt-4o"\n}'),
    labels: f.texts(['service', 'ai-policy', 'high']),
    body: f.of<Json>({
      oneOf: [
        { type: 'object', additionalProperties: true },
        { type: 'array', items: {} },
      ],
      description: 'Body of the request. The key of the ticket is shown as zeros.',
      example: { short_description: TITLE, urgency: '2', impact: '2' },
    }),
  })
  implements RenderedTicket<Json> {}

@ApiSchema({ name: 'GovernanceCheckDto' })
class CheckDto
  extends dtoOf({
    name: f.text('The account may create incidents'),
    status: f.choice<Check['status']>(['passed', 'warning', 'failed'], 'failed'),
    message: f.text('The instance refused the account; give it the role itil.'),
  })
  implements Check {}

/** Result of a connector test. */
@ApiSchema({ name: 'GovernanceConnectorTestDto' })
export class ConnectorTestDto extends dtoOf({
  connector_id: f.uuid(CONNECTOR),
  passed: f.flag(false, 'Whether the test ticket was created and the account can see it.'),
  checks: f.listOf(CheckDto),
  external_ticket_id: f.text(null, 'Id of the test ticket.').nullable(),
  ticket: f.nested(TicketResponseDto, 'Null if no ticket was created.', null).nullable(),
}) {}
