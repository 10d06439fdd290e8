import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TextField } from '#access';
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
export class ReratingResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-9d10-7c3e-9a41-3f5d8e2b7c60' })
  id!: string;

  @ApiProperty({
    enum: RERATING_STATUSES,
    description: '`failed`: the run stopped. Its adjustments remain; start another re-rating to do the rest.',
    example: 'done',
  })
  status!: Rerating['status'];

  @ApiProperty({ format: 'date', example: '2026-11-01' })
  start_date!: string;

  @ApiProperty({ format: 'date', example: '2026-11-30' })
  end_date!: string;

  @ApiProperty({ type: String, nullable: true, example: 'azure' })
  provider!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'gpt-4o*' })
  model!: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Events in the range, for this provider and model, whose sender did not state a cost.',
    example: 12_840,
  })
  events_examined!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of those events whose cost has changed.',
    example: 9_113,
  })
  events_adjusted!: number;

  @ApiProperty({
    type: Number,
    description: 'Change of the cost in US dollars; negative if the usage became cheaper.',
    example: -41.27,
  })
  adjustment_usd!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T12:00:04.310Z' })
  finished_at!: string | null;
}

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
