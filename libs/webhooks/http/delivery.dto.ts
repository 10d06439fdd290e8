import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f, InstantField, PageQueryDto, TextField } from '#access';
import { SUBSCRIBABLE_EVENT_TYPES, PING } from '#outbox';
import type { AttemptTrigger, Headers } from '../decide/index.js';
import type { DeliveryListQuery } from '../log/delivery-log.js';
import type { ShownDeliveryExchange, ShownExchange } from '../log/delivery-exchange.js';
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

/** Converts the query to a filter of the delivery log. */
export function readDeliveryQuery({ since, ...others }: DeliveryQueryDto): DeliveryListQuery {
  return { ...others, since: since === undefined ? undefined : new Date(since) };
}

/** One attempt of a delivery. */
@ApiSchema({ name: 'GovernanceAttemptResponseDto' })
class AttemptResponseDto
  extends dtoOf({
    number: f.integer(1, 'Starts at 1. An attempt that a crash interrupted is repeated with the same number.'),
    trigger: f.choice(TRIGGERS, 'schedule', 'Cause of the attempt: the retry schedule, a manual retry, or a recovery.'),
    started_at: f.instant('2026-11-20T13:00:00.120Z'),
    duration_ms: f.integer(84).nullable(),
    http_status: f.integer(200, 'Status code of the answer; null without an answer.').nullable(),
    response_body: f
      .text(
        'ok',
        'The first 16 KiB of the answer, as UTF-8; invalid bytes are replaced by U+FFFD. Null without an answer, or if it ' +
          'came from a private address that `egress.allow` does not name for webhooks.',
      )
      .nullable(),
    response_truncated: f.flag(false, 'Whether the answer was longer than the stored part.'),
    error: f.text(null, 'Cause of the failure; null if you answered.').nullable(),
  })
  implements ShownAttempt {}

/** The delivery of one event to one webhook (interface specification, section 2.7). */
@ApiSchema({ name: 'GovernanceDeliveryResponseDto' })
export class DeliveryResponseDto
  extends dtoOf({
    id: f.uuid('0199c2a8-d42c-7a96-8be1-03a7c9285f4d'),
    webhook_id: f.uuid('0199c2a8-c318-7be5-a4d0-92f6b8170e3c'),
    event_id: f.text('evt_0199c2a8b2047d9a8f61e7035a4c2b98', 'Id of the event. The same in every attempt.'),
    event_type: f.text('policy_violation'),
    status: f.choice(
      DELIVERY_STATUSES,
      'delivered',
      '`delivering` while an attempt runs, `pending` before and between attempts.',
    ),
    attempts: f.listOf(AttemptResponseDto, 'Oldest first.'),
    next_attempt_at: f
      .instant(null, 'Null if no attempt is planned, while one runs, and while the webhook is paused.')
      .nullable(),
    created_at: f.instant('2026-11-20T13:00:00.000Z'),
  })
  implements ShownDelivery {}

const headers = (example: Headers, description: string) =>
  f.of<Headers>({ type: 'object', additionalProperties: { type: 'string' }, description, example }).nullable();

/** One attempt of a delivery with its headers. */
@ApiSchema({ name: 'GovernanceAttemptExchangeResponseDto' })
class AttemptExchangeResponseDto
  extends dtoOf(AttemptResponseDto, {
    request_headers: headers(
      { 'content-type': 'application/json', 'webhook-id': 'evt_0199c2a8b2047d9a8f61e7035a4c2b98' },
      'The headers that the service set, as sent, signatures included; null if the end of the attempt is unknown.',
    ),
    response_headers: headers(
      { 'content-type': 'text/plain' },
      'The first 50 headers of the answer, each up to 1,000 characters, values of cookies hidden. Null without an answer, or ' +
        'if it came from a private address that `egress.allow` does not name for webhooks.',
    ),
  })
  implements ShownExchange {}

/** A delivery with the body and headers of its requests, and with their answers. */
@ApiSchema({ name: 'GovernanceDeliveryExchangeResponseDto' })
export class DeliveryExchangeResponseDto
  extends dtoOf(DeliveryResponseDto, {
    attempts: f.listOf(AttemptExchangeResponseDto, 'Oldest first.'),
    request_body: f
      .text(
        '{"id":"evt_0199c2a8b2047d9a8f61e7035a4c2b98","type":"policy_violation"}',
        'The bytes that were signed and sent, as UTF-8. Null once the retention of the event has ended.',
      )
      .nullable(),
  })
  implements ShownDeliveryExchange {}
