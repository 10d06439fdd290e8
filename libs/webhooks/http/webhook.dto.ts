import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { CheckedField, FlagField, IgnoresReadOnly, InstantField, NumberField } from '#access';
import { SUBSCRIBABLE_EVENT_TYPES, type EventType } from '#outbox';
import { HEALTH_STATES, type ShownHealth } from '../health/webhook-health.js';
import {
  descriptionFault,
  urlFault,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_EVENTS_MAX,
  WEBHOOK_URL_MAX,
} from '../registrations/webhook-rules.js';

const URL = {
  description:
    'An `https:` URL without user name and password. Its host must have public addresses only, unless the operator ' +
    'allows others. It must answer with a 2xx status within 10 seconds; redirects are not followed. It is shown as it is ' +
    'called: names in lower-case ASCII, a path of `/` at least, other characters as `%C3%A9`.',
  example: 'https://hooks.example.com/governance',
};
const URL_SCHEMA = { type: String, format: 'uri', minLength: 1, maxLength: WEBHOOK_URL_MAX } as const;
const EVENTS = {
  optional: true,
  nullable: true,
  description:
    'Types of events to send. Left out, null or empty: all, those of later versions included, but not `audit_anchor`, ' +
    'which is sent only where it is named.',
  example: ['policy_violation', 'budget_exceeded'],
};
const EVENTS_SCHEMA: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'string', enum: [...SUBSCRIBABLE_EVENT_TYPES] },
  maxItems: WEBHOOK_EVENTS_MAX,
};
const DESCRIPTION = { optional: true, nullable: true, description: 'A label for people.', example: 'On-call channel' };
const DESCRIPTION_SCHEMA = { type: String, maxLength: WEBHOOK_DESCRIPTION_MAX } as const;
const ENABLED = {
  optional: true,
  description: 'While it is false, deliveries wait; when it becomes true again they are sent, the oldest first.',
  example: true,
};

// `events` is checked apart, because every entry at fault is reported by its place.
const anything = () => undefined;

/** Body of `POST /v1/webhooks` (interface specification, section 4.8). */
@IgnoresReadOnly(
  ...['id', 'org_id', 'created_at', 'updated_at', 'all_events', 'health'],
  ...['signing_secret', 'previous_secret_until'],
)
@ApiSchema({ name: 'GovernanceRegisterWebhookDto' })
export class RegisterWebhookDto {
  @CheckedField(URL, URL_SCHEMA, urlFault)
  url!: string;

  @CheckedField(EVENTS, EVENTS_SCHEMA, anything)
  events?: EventType[] | null;

  @CheckedField(DESCRIPTION, DESCRIPTION_SCHEMA, descriptionFault)
  description?: string | null;

  @FlagField({ ...ENABLED, default: true })
  enabled?: boolean;
}

/** Body of `PATCH /v1/webhooks/{id}`: only the supplied fields change. */
@IgnoresReadOnly(
  ...['id', 'org_id', 'created_at', 'updated_at', 'all_events', 'health'],
  ...['signing_secret', 'previous_secret_until'],
)
@ApiSchema({ name: 'GovernanceChangeWebhookDto' })
export class ChangeWebhookDto {
  @CheckedField({ ...URL, optional: true }, URL_SCHEMA, urlFault)
  url?: string;

  @CheckedField(EVENTS, EVENTS_SCHEMA, anything)
  events?: EventType[] | null;

  @CheckedField(DESCRIPTION, DESCRIPTION_SCHEMA, descriptionFault)
  description?: string | null;

  @FlagField(ENABLED)
  enabled?: boolean;
}

/** Body of `POST /v1/webhooks/{id}/rotate-secret`. */
@ApiSchema({ name: 'GovernanceRotateSecretDto' })
export class RotateSecretDto {
  @NumberField({
    min: 0,
    max: 24,
    optional: true,
    default: 24,
    description: 'Hours for which the secret of before signs a header of its own as well; 0 for none.',
    example: 24,
  })
  overlap_hours?: number;
}

/** Body of `POST /v1/webhooks/{id}/recover`. */
@ApiSchema({ name: 'GovernanceRecoverDto' })
export class RecoverDto {
  @InstantField({
    description: 'Failed deliveries that were created from here on are attempted once more. Must be in the past.',
    example: '2026-11-20T09:00:00Z',
  })
  since!: string;
}

/** How an endpoint has answered. */
@ApiSchema({ name: 'GovernanceWebhookHealthDto' })
export class WebhookHealthDto implements ShownHealth {
  @ApiProperty({
    enum: HEALTH_STATES,
    description: 'As the latest attempt ended; `unknown` before the first.',
    example: 'healthy',
  })
  state!: ShownHealth['state'];

  @ApiProperty({ type: 'integer', description: 'Of the last 24 hours.', example: 250 })
  attempts!: number;

  @ApiProperty({ type: 'integer', description: 'Of the last 24 hours.', example: 248 })
  succeeded!: number;

  @ApiProperty({ type: 'integer', description: 'Without an answer in time; they count as failed.', example: 1 })
  timeouts!: number;

  @ApiProperty({ type: Number, nullable: true, description: 'From 0 to 1; null without attempts.', example: 0.992 })
  success_rate!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null without attempts.', example: 84 })
  average_duration_ms!: number | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T13:00:00.000Z' })
  last_success_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  last_failure_at!: string | null;
}

/** A webhook as it is shown (interface specification, section 2.6). */
@ApiSchema({ name: 'GovernanceWebhookResponseDto' })
export class WebhookResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-c318-7be5-a4d0-92f6b8170e3c' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-5d07-7a44-93be-4f8e21d06c72' })
  org_id!: string;

  @ApiProperty({ example: URL.example })
  url!: string;

  @ApiProperty({
    type: [String],
    description: 'Subscribed types; all that this version knows where `all_events` is true.',
    example: EVENTS.example,
  })
  events!: string[];

  @ApiProperty({ description: 'Whether types of later versions are subscribed to as well.', example: false })
  all_events!: boolean;

  @ApiProperty({ type: String, nullable: true, example: DESCRIPTION.example })
  description!: string | null;

  @ApiProperty({ example: true })
  enabled!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until then the secret of before signs a header of its own as well.',
    example: null,
  })
  previous_secret_until!: string | null;

  @ApiProperty({ type: WebhookHealthDto })
  health!: WebhookHealthDto;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  updated_at!: string;
}

/** A webhook with its new secret: the only answers that contain it. */
@ApiSchema({ name: 'GovernanceWebhookWithSecretResponseDto' })
export class WebhookWithSecretResponseDto extends WebhookResponseDto {
  @ApiProperty({
    description: 'Signs what is sent. It is shown only here.',
    example: 'whsec_<44 characters of base64>',
  })
  signing_secret!: string;
}

/** A recovery that has begun. */
@ApiSchema({ name: 'GovernanceRecoveryResponseDto' })
export class RecoveryResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-c318-7be5-a4d0-92f6b8170e3c' })
  webhook_id!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  since!: string;

  @ApiProperty({ format: 'date-time', description: 'When the recovery began.', example: '2026-11-20T13:00:00.000Z' })
  until!: string;

  @ApiProperty({ type: 'integer', description: 'Failed deliveries of that time when it began.', example: 42 })
  deliveries!: number;
}
