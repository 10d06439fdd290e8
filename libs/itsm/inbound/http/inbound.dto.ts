import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, TextField, UuidField, f, dtoOf } from '#access';
import { TICKET_STATUSES, type TicketStatus } from '../../adapter/ticket-state.js';
import { readTime } from './read-time.js';

const TEXT = { type: String } as const;

/** A text that a platform may send empty or as null. */
function LooseText(description: string, example: string) {
  return CheckedField({ optional: true, nullable: true, description, example }, TEXT, value =>
    typeof value === 'string' ? undefined : 'must be a text',
  );
}

/** A ticket report (interface specification, section 2.9). */
@ApiSchema({ name: 'GovernanceInboundReportDto' })
export class InboundReportDto {
  @TextField({ max: 255, description: 'The platform’s name of the ticket.', example: 'SEC-17' })
  external_ticket_id!: string;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description:
        'The platform’s own id of the ticket, at most 255 characters. It identifies a ticket that was moved and ' +
        'renamed.',
      example: '10017',
    },
    { type: String, maxLength: 255 },
    value =>
      typeof value === 'string' && value.length <= 255 ? undefined : 'must be a text of at most 255 characters',
  )
  platform_id?: string | null;

  @ChoiceField(TICKET_STATUSES, { description: 'Current status of the ticket.', example: 'resolved' })
  status!: TicketStatus;

  @LooseText('Resolution of the ticket. Empty removes it; if left out, it stays.', 'Done')
  resolution?: string | null;

  @LooseText('Notes. Empty removes them; if left out, they stay.', 'Talked to the user.')
  notes?: string | null;

  @LooseText('Author of the change: an e-mail address, or a user name of the platform.', 'ada@example.com')
  updated_by?: string | null;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'The platform’s own id of this report, at most 255 characters: the same id counts once.',
      example: '1f0a7e9d-4b33-4c59-9b25-6a3b9f2f6f9e',
    },
    { type: String, maxLength: 255 },
    value =>
      typeof value === 'string' && value.length <= 255 ? undefined : 'must be a text of at most 255 characters',
  )
  event_id?: string | null;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'Time of the change on the platform. A report older than the stored status is ignored.',
      example: '2026-11-20T13:00:00Z',
    },
    { type: String, format: 'date-time' },
    value =>
      value === '' || readTime(value)
        ? undefined
        : 'must be an ISO 8601 time with a zone, such as 2026-11-20T13:00:00Z',
  )
  occurred_at?: string | null;
}

/** Id of the connector. It selects one if several connectors have a ticket with the same id. */
export class InboundQueryDto {
  @UuidField({ optional: true, description: 'Only tickets of this connector.' })
  connector_id?: string;
}

/** Result of a report. */
@ApiSchema({ name: 'GovernanceInboundReceiptDto' })
export class InboundReceiptDto extends dtoOf({
  external_ticket_id: f.text('SEC-17'),
  status: f.choice(TICKET_STATUSES, 'resolved', 'Status of the ticket after the report.'),
}) {}
