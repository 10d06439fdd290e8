import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  CurrentActor,
  dtoOf,
  f,
  GovernanceController,
  IntegerField,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import { HourlyHealth, type HealthHour } from '../health/hourly-health.js';

const DEFAULT_HOURS = 24;
const HOURS_MAX = 720;
const COUNT = { minimum: 0 };

/** Query of `GET /v1/webhooks/{id}/health`. */
class HealthQueryDto {
  @IntegerField({
    min: 1,
    max: HOURS_MAX,
    optional: true,
    default: DEFAULT_HOURS,
    description: 'Number of hours, the current one included.',
    example: DEFAULT_HOURS,
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
  )
  hours?: number;
}

@ApiSchema({ name: 'GovernanceHealthHourDto' })
class HealthHourDto
  extends dtoOf({
    hour: f.instant('2026-11-20T13:00:00.000Z', 'Begin of the hour, in UTC.'),
    delivered: f.integer(120, 'Attempts that the endpoint accepted.', COUNT),
    failed: f.integer(2, 'Attempts that failed, those without an answer in time included.', COUNT),
    timeouts: f.integer(1, 'Attempts without an answer in time.', COUNT),
    p50_ms: f.integer(42, 'Half of the attempts took at most this; null without attempts.').nullable(),
    p95_ms: f.integer(180, '95 % of the attempts took at most this; null without attempts.').nullable(),
  })
  implements HealthHour {}

@ApiSchema({ name: 'GovernanceHourlyHealthResponseDto' })
class HourlyHealthResponseDto extends dtoOf({
  webhook_id: f.uuid('0199c2a8-c318-7be5-a4d0-92f6b8170e3c'),
  time_zone: f.text('UTC', 'Hours begin at full hours of this zone.'),
  hours: f.listOf(HealthHourDto, 'The oldest first, hours without attempts included.'),
}) {}

/** HTTP route of the health of a webhook in each hour. */
@GovernanceController('v1/webhooks/:id/health', 'Webhooks')
export class WebhookHealthController {
  constructor(private readonly health: HourlyHealth) {}

  @Get()
  @Requires('webhooks:read')
  @ApiOperation({
    operationId: 'getWebhookHealth',
    summary: 'Get the health of a webhook by the hour',
    description:
      'Counts attempts by the hour in which they began. Durations are counted in 14 buckets, and `p50_ms` and `p95_ms` are ' +
      'estimated within them.',
  })
  @ApiOkResponse({ type: HourlyHealthResponseDto, description: 'The hours.' })
  @Refuses(400, 404)
  async get(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @Query() { hours = DEFAULT_HOURS }: HealthQueryDto,
  ): Promise<HourlyHealthResponseDto> {
    return { webhook_id: id.toLowerCase(), time_zone: 'UTC', hours: await this.health.of(orgId, id, hours) };
  }
}
