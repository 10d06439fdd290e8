import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PageQueryDto } from '#access';
import type { UnpricedModel } from '../price-list/unpriced-models.service.js';
import { DayField } from './usage-query.dto.js';

/** Range of days. */
export class UnpricedQueryDto extends PageQueryDto {
  @DayField({ optional: true, description: 'First day, inclusive, UTC. Default: the day of the first usage.' })
  start_date?: string;

  @DayField({ optional: true, description: 'Last day, inclusive, UTC. Default: the day of the latest usage.' })
  end_date?: string;
}

const tokens = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, description, example }) as const;

/** A used model without a known price. */
@ApiSchema({ name: 'GovernanceUnpricedModelDto' })
export class UnpricedModelDto {
  @ApiProperty({ example: 'azure' })
  provider!: string;

  @ApiProperty({ example: 'prod-chat' })
  model!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Requests without a known price. They add nothing to the cost.',
    example: 318,
  })
  unpriced_requests!: number;

  @ApiProperty({ format: 'date', description: 'First day with such a request, UTC.', example: '2026-11-03' })
  first_day!: string;

  @ApiProperty({ format: 'date', description: 'Last day with such a request.', example: '2026-11-20' })
  last_day!: string;

  @ApiProperty(
    tokens(
      'Input tokens of the usage without a price. If a user had a price for part of a day, the whole day counts.',
      1_204_000,
    ),
  )
  input_tokens!: number;

  @ApiProperty(tokens('Output tokens, counted in the same way.', 88_000))
  output_tokens!: number;
}

/** A model without a price on the wire. */
export function presentUnpriced(model: UnpricedModel): UnpricedModelDto {
  return {
    ...model,
    unpriced_requests: Number(model.unpriced_requests),
    input_tokens: Number(model.input_tokens),
    output_tokens: Number(model.output_tokens),
  };
}
