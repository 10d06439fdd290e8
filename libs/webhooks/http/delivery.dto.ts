import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChoiceField, InstantField, PageQueryDto, TextField } from '#access';
import { SUBSCRIBABLE_EVENT_TYPES, PING } from '#outbox';
import type { AttemptTrigger } from '../decide/index.js';
import type { DeliveryListQuery } from '../log/delivery-log.js';
import { DELIVERY_STATUSES, type DeliveryStatus, type ShownAttempt, type ShownDelivery } from '../log/delivery.js';

const TRIGGERS = ['schedule', 'manual', 'recovery'] as const satisfies readonly AttemptTrigger[];

/** Query of `GET /v1/webhooks/{id}/deliveries` and `GET /v1/deliveries`. */
export class DeliveryQueryDto extends PageQueryDto {
  @ChoiceField(DELIVERY_STATUSES, { optional: true, description: 'Restrict to one status.' })
  status?: DeliveryStatus;

  @ChoiceField([...SUBSCRIBABLE_EVENT_TYPES, PING], { optional: true, description: 'Restrict to one type of event.' })
  event_type?: string;

  @TextField({
    max: 64,
    optional: true,
    description: 'Restrict to one event, by its id.',
    example: 'evt_0199c2a8b2047d9a8f61e7035a4c2b98',
  })
  event_id?: string;

  @InstantField({ optional: true, description: 'Only deliveries that began at this time or later.' })
  since?: string;
}

/** The query as the log takes it. */
export function readDeliveryQuery({ since, ...others }: DeliveryQueryDto): DeliveryListQuery {
  return { ...others, since: since === undefined ? undefined : new Date(since) };
}

/** One attempt of a delivery. */
@ApiSchema({ name: 'GovernanceAttemptResponseDto' })
export class AttemptResponseDto implements ShownAttempt {
  @ApiProperty({
    type: 'integer',
    description: 'Starts at 1. An attempt that a crash interrupted is repeated with the same number.',
    example: 1,
  })
  number!: number;

  @ApiProperty({
    enum: TRIGGERS,
    description: 'Cause of the attempt: the retry schedule, a manual retry, or a recovery.',
    example: 'schedule',
  })
  trigger!: AttemptTrigger;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.120Z' })
  started_at!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 84 })
  duration_ms!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Status code of the answer; null without an answer.',
    example: 200,
  })
  http_status!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The first 16 KiB of the answer, as UTF-8; invalid bytes are replaced by U+FFFD. Null without an answer, or if it ' +
      'came from a private address that `egress.allow` does not name for webhooks.',
    example: 'ok',
  })
  response_body!: string | null;

  @ApiProperty({ description: 'Whether the answer was longer than the stored part.', example: false })
  response_truncated!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Cause of the failure; null if you answered.',
    example: null,
  })
  error!: string | null;
}

/** One event on its way to one webhook (interface specification, section 2.7). */
@ApiSchema({ name: 'GovernanceDeliveryResponseDto' })
export class DeliveryResponseDto implements ShownDelivery {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-d42c-7a96-8be1-03a7c9285f4d' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-c318-7be5-a4d0-92f6b8170e3c' })
  webhook_id!: string;

  @ApiProperty({
    description: 'Id of the event. The same in every attempt.',
    example: 'evt_0199c2a8b2047d9a8f61e7035a4c2b98',
  })
  event_id!: string;

  @ApiProperty({ example: 'policy_violation' })
  event_type!: string;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`delivering` while an attempt runs, `pending` before and between attempts.',
    example: 'delivered',
  })
  status!: DeliveryStatus;

  @ApiProperty({ type: [AttemptResponseDto], description: 'Oldest first.' })
  attempts!: AttemptResponseDto[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null if no attempt is planned, while one runs, and while the webhook is paused.',
    example: null,
  })
  next_attempt_at!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;
}
