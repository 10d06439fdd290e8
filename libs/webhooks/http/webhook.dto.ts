import { ApiSchema } from '@nestjs/swagger';
import {
  CheckedField,
  dtoOf,
  f,
  FlagField,
  IgnoresReadOnly,
  InstantField,
  NumberField,
  partialOf,
  readInputApart,
} from '#access';
import { SUBSCRIBABLE_EVENT_TYPES, type EventType } from '#outbox';
import { HEALTH_STATES, type ShownHealth } from '../health/webhook-health.js';
import {
  descriptionFault,
  eventsFaults,
  urlFault,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_EVENTS_MAX,
  WEBHOOK_URL_MAX,
} from '../registrations/webhook-rules.js';

const URL = 'https://hooks.example.com/governance';
const EVENTS = ['policy_violation', 'budget_exceeded'];
const DESCRIPTION = 'On-call channel';
const READ_ONLY = [
  ...['id', 'org_id', 'created_at', 'updated_at', 'all_events', 'health'],
  ...['signing_secret', 'previous_secret_until'],
];

// `events` is validated separately, because an error names the position of each invalid entry.
const anything = () => undefined;

/** Body of `POST /v1/webhooks` (interface specification, section 4.8). */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceRegisterWebhookDto' })
export class RegisterWebhookDto {
  @CheckedField(
    {
      description:
        'An `https:` URL without user name and password. Its host must have public addresses only, unless the ' +
        'operator allows others. It must answer with a 2xx status within 10 seconds; redirects are not followed. It ' +
        'is shown in normal form: host names in lower-case ASCII, at least the path `/`, other characters as `%C3%A9`.',
      example: URL,
    },
    { type: String, format: 'uri', minLength: 1, maxLength: WEBHOOK_URL_MAX },
    urlFault,
  )
  url!: string;

  @CheckedField(
    {
      ...{ optional: true, nullable: true },
      description:
        'Types of events to send. Missing, null or empty: all types, including types of later versions, except ' +
        '`audit_anchor`, which you must name.',
      example: EVENTS,
    },
    {
      type: 'array',
      items: { type: 'string', enum: [...SUBSCRIBABLE_EVENT_TYPES] },
      maxItems: WEBHOOK_EVENTS_MAX,
    },
    anything,
  )
  events?: EventType[] | null;

  @CheckedField(
    { optional: true, nullable: true, description: 'A label for people.', example: DESCRIPTION },
    { type: String, maxLength: WEBHOOK_DESCRIPTION_MAX },
    descriptionFault,
  )
  description?: string | null;

  @FlagField({
    ...{ optional: true, default: true },
    description: 'While false, deliveries wait. After you set it to true, they are sent, oldest first.',
    example: true,
  })
  enabled?: boolean;
}

/** Body of `PATCH /v1/webhooks/{id}`: only the supplied fields change. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceChangeWebhookDto' })
export class ChangeWebhookDto extends partialOf(RegisterWebhookDto) {}

/**
 * Validates the body of a webhook. An error names the position of each invalid entry of `events`.
 * @throws BadRequestError
 */
export function readWebhookBody<T extends ChangeWebhookDto>(type: new () => T, body: unknown): T {
  return readInputApart(type, body, 'events', eventsFaults);
}

/** Body of `POST /v1/webhooks/{id}/rotate-secret`. */
@ApiSchema({ name: 'GovernanceRotateSecretDto' })
export class RotateSecretDto {
  @NumberField({
    min: 0,
    max: 24,
    optional: true,
    default: 24,
    description: 'Hours in which a second header is signed with the previous secret; 0 for none.',
    example: 24,
  })
  overlap_hours?: number;
}

/** Body of `POST /v1/webhooks/{id}/recover`. */
@ApiSchema({ name: 'GovernanceRecoverDto' })
export class RecoverDto {
  @InstantField({
    description: 'Failed deliveries that were created at this time or later are retried. Must be in the past.',
    example: '2026-11-20T09:00:00Z',
  })
  since!: string;
}

/** The health of an endpoint. */
@ApiSchema({ name: 'GovernanceWebhookHealthDto' })
class WebhookHealthDto
  extends dtoOf({
    state: f.choice<ShownHealth['state']>(
      HEALTH_STATES,
      'healthy',
      'Result of the latest attempt; `unknown` before the first.',
    ),
    attempts: f.integer(250, 'Attempts in the last 24 hours.'),
    succeeded: f.integer(248, 'Successful attempts in the last 24 hours.'),
    timeouts: f.integer(1, 'Attempts without an answer in time, in the last 24 hours. They count as failed.'),
    success_rate: f.decimal(0.992, 'Share of successful attempts, from 0 to 1; null without attempts.').nullable(),
    average_duration_ms: f
      .integer(84, 'Average duration of an attempt in milliseconds; null without attempts.')
      .nullable(),
    last_success_at: f.instant('2026-11-20T13:00:00.000Z').nullable(),
    last_failure_at: f.instant(null).nullable(),
  })
  implements ShownHealth {}

/** A webhook (interface specification, section 2.6). */
@ApiSchema({ name: 'GovernanceWebhookResponseDto' })
export class WebhookResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-c318-7be5-a4d0-92f6b8170e3c'),
  org_id: f.uuid('0199c2a8-5d07-7a44-93be-4f8e21d06c72'),
  url: f.text(URL),
  events: f.texts(EVENTS, 'Subscribed types; all types of this version if `all_events` is true.'),
  all_events: f.flag(false, 'Whether the webhook also gets types of later versions.'),
  description: f.text(DESCRIPTION).nullable(),
  enabled: f.flag(true),
  previous_secret_until: f.instant(null, 'Until then, a second header is signed with the previous secret.').nullable(),
  health: f.nested(WebhookHealthDto),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  updated_at: f.instant('2026-11-20T13:00:00.000Z'),
}) {}

/** A webhook with its new secret. No other response contains the secret. */
@ApiSchema({ name: 'GovernanceWebhookWithSecretResponseDto' })
export class WebhookWithSecretResponseDto extends dtoOf(WebhookResponseDto, {
  signing_secret: f.text('whsec_<44 characters of base64>', 'Signs every delivery. It is shown only here.'),
}) {}

/** A recovery that has started. */
@ApiSchema({ name: 'GovernanceRecoveryResponseDto' })
export class RecoveryResponseDto extends dtoOf({
  webhook_id: f.uuid('0199c2a8-c318-7be5-a4d0-92f6b8170e3c'),
  since: f.instant('2026-11-20T09:00:00.000Z'),
  until: f.instant('2026-11-20T13:00:00.000Z', 'When the recovery began.'),
  deliveries: f.integer(42, 'Number of failed deliveries to retry.'),
}) {}
