import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChoiceField, PageQueryDto, TextField, UuidField } from '#access';
import { SEVERITIES, type JsonObject, type Severity } from '#core';
import type { Check } from '../adapter/itsm-adapter.port.js';
import type { RenderedTicket } from '../adapter/ticket-draft.js';
import { TICKET_STATUSES, type TicketStatus } from '../adapter/ticket-state.js';
import type { ShownTicket } from '../tickets/ticket-rows.js';
import { SYNC_STATES, type SyncState } from '../decide/progress.js';
import type { TicketOrigin } from '../tickets/ticket.entity.js';

const CONNECTOR = '0199c2a8-e105-7b3c-9d24-6a8f0c5e7b19';
const INCIDENT = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const SEEN = '2026-11-20T13:00:00.000Z';
const TITLE = '[Service] policy_violation: Large models are for Research by ada@example.com with openai/gpt-4o';

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
export class TicketResponseDto implements ShownTicket {
  @ApiProperty({
    format: 'uuid',
    description: 'Id of the ticket; the ticket on the platform carries it as a key.',
    example: '0199c2a8-f217-7c4d-8e36-7b901d6f8c2a',
  })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-5d07-7a44-93be-4f8e21d06c72' })
  org_id!: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null for a test ticket.',
    example: INCIDENT,
  })
  incident_id!: string | null;

  @ApiProperty({
    format: 'uuid',
    description: 'The connector of the ticket. It may have been deleted since.',
    example: CONNECTOR,
  })
  connector_id!: string;

  @ApiProperty({ example: 'servicenow' })
  kind!: string;

  @ApiProperty({
    enum: ['automatic', 'manual', 'chat', 'test'],
    description: 'What requested the ticket.',
    example: 'automatic',
  })
  origin!: TicketOrigin;

  @ApiProperty({ description: 'Title before the platform’s limits are applied.', example: TITLE })
  title!: string;

  @ApiProperty({ enum: SEVERITIES, example: 'high' })
  severity!: Severity;

  @ApiProperty({ type: String, nullable: true, description: 'Null until it is created.', example: 'INC0010023' })
  external_ticket_id!: string | null;

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://acme.service-now.example/nav_to.do?uri=incident.do?sysparm_query=number=INC0010023',
  })
  url!: string | null;

  @ApiProperty({
    enum: TICKET_STATUSES,
    nullable: true,
    description: 'Last status that the platform reported; `open` after creation, null before.',
    example: 'open',
  })
  status!: TicketStatus | null;

  @ApiProperty({
    enum: SYNC_STATES,
    description:
      '`pending`: will be created. `created`: exists on the platform. `rejected`: was not created; retry it after ' +
      'you fixed the cause. `uncertain`: may exist; the service searches for it before it creates it again.',
    example: 'created',
  })
  sync_state!: SyncState;

  @ApiProperty({ type: 'integer', description: 'Number of attempts to create the ticket.', example: 1 })
  attempts!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null if no attempt is planned, one is running, or the connector is inactive.',
    example: null,
  })
  next_attempt_at!: string | null;

  @ApiProperty({
    type: [String],
    description: 'Values that the platform did not accept, one sentence each.',
    example: [],
  })
  degraded!: string[];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      '`auth`, `forbidden`, `config`, `field`, `hibernating`, `unreachable`, `uncertain`, `connector_removed` or `fault`.',
    example: null,
  })
  error_code!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The error as a sentence.', example: null })
  error!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'Errors by field of the platform.',
    example: null,
  })
  error_fields!: JsonObject | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  resolution!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  notes!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  updated_by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  status_changed_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description:
      'The ticket of the earlier incident about the same. If both have one `external_ticket_id`, it was reopened.',
    example: null,
  })
  follows!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the last change after the creation was not made, or what was left as people had set it.',
    example: null,
  })
  change_error!: string | null;

  @ApiProperty({ format: 'date-time', example: SEEN })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: SEEN })
  updated_at!: string;
}

/** What would be sent. */
@ApiSchema({ name: 'GovernanceRenderedTicketDto' })
export class RenderedTicketDto implements RenderedTicket {
  @ApiProperty({ example: TITLE })
  title!: string;

  @ApiProperty({ example: '{\n  "severity": "high",\n  "provider": "openai",\n  "model": "gpt-4o"\n}' })
  description!: string;

  @ApiProperty({ type: [String], example: ['service', 'ai-policy', 'high'] })
  labels!: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Body of the request. The key of the ticket is shown as zeros.',
    example: { short_description: TITLE, urgency: '2', impact: '2' },
  })
  body!: JsonObject;
}

@ApiSchema({ name: 'GovernanceCheckDto' })
class CheckDto implements Check {
  @ApiProperty({ example: 'The account may create incidents' })
  name!: string;

  @ApiProperty({ enum: ['passed', 'warning', 'failed'], example: 'failed' })
  status!: Check['status'];

  @ApiProperty({ example: 'The instance refused the account; give it the role itil.' })
  message!: string;
}

/** What came of a test. */
@ApiSchema({ name: 'GovernanceConnectorTestDto' })
export class ConnectorTestDto {
  @ApiProperty({ format: 'uuid', example: CONNECTOR })
  connector_id!: string;

  @ApiProperty({ description: 'Whether the test ticket was created and the account can see it.', example: false })
  passed!: boolean;

  @ApiProperty({ type: [CheckDto] })
  checks!: CheckDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Id of the test ticket.', example: null })
  external_ticket_id!: string | null;

  @ApiProperty({
    type: TicketResponseDto,
    nullable: true,
    description: 'Null if no ticket was created.',
    example: null,
  })
  ticket!: TicketResponseDto | null;
}
