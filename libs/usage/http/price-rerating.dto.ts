import { ApiSchema } from '@nestjs/swagger';
import { TextField, f, dtoOf } from '#access';
import { RERATING_STATUSES, type Rerating, type ReratingScope } from '../rerating/rerating.js';
import { DayField } from './usage-query.dto.js';

const NAME = 255;

/** Range of stored usage to reprice. */
@ApiSchema({ name: 'GovernanceBeginReratingDto' })
export class BeginReratingDto {
  @DayField({ description: 'First day, inclusive, UTC.' })
  start_date!: string;

  @DayField({ description: 'Last day, inclusive, UTC.' })
  end_date!: string;

  @TextField({
    max: NAME,
    optional: true,
    nullable: true,
    example: 'azure',
    description: 'Provider as events name it, compared without case. Null or missing: every provider.',
  })
  provider?: string | null;

  @TextField({
    max: NAME,
    optional: true,
    nullable: true,
    example: 'gpt-4o*',
    description: 'Model name or a pattern with `*`, compared without case. Null or missing: every model.',
  })
  model?: string | null;
}

/** A re-rating and its progress. */
@ApiSchema({ name: 'GovernanceReratingResponseDto' })
export class ReratingResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-9d10-7c3e-9a41-3f5d8e2b7c60'),
  status: f.choice<Rerating['status']>(
    RERATING_STATUSES,
    'done',
    '`failed`: the run stopped. Its adjustments remain; start another re-rating to do the rest.',
  ),
  start_date: f.day('2026-11-01'),
  end_date: f.day('2026-11-30'),
  provider: f.text('azure').nullable(),
  model: f.text('gpt-4o*').nullable(),
  events_examined: f.integer(
    12_840,
    'Events in the range, for this provider and model, whose sender did not state a cost.',
    { minimum: 0 },
  ),
  events_adjusted: f.integer(9_113, 'Number of those events whose cost has changed.', { minimum: 0 }),
  adjustment_usd: f.decimal(-41.27, 'Change of the cost in US dollars; negative if the usage became cheaper.'),
  created_at: f.instant('2026-11-20T12:00:00.000Z'),
  finished_at: f.instant('2026-11-20T12:00:04.310Z').nullable(),
}) {}

/** Maps a request body to a range. */
export function scopeOf(body: BeginReratingDto): ReratingScope {
  return {
    startDate: body.start_date,
    endDate: body.end_date,
    provider: body.provider?.trim() ?? null,
    model: body.model?.trim() ?? null,
  };
}

/** A re-rating on the wire. */
export function presentRerating(rerating: Rerating): ReratingResponseDto {
  return {
    ...rerating,
    events_examined: Number(rerating.events_examined),
    events_adjusted: Number(rerating.events_adjusted),
    adjustment_usd: Number(rerating.adjustment_usd),
  };
}
