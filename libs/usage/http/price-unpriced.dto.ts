import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PageQueryDto } from '#access';
import type { UnpricedModel } from '../price-list/unpriced-models.service.js';
import { DayField } from './usage-query.dto.js';

/** Which days to look at. */
export class UnpricedQueryDto extends PageQueryDto {
  @DayField({ optional: true, description: 'First day, inclusive, UTC. Without it, from the first usage on.' })
  start_date?: string;

  @DayField({ optional: true, description: 'Last day, inclusive, UTC. Without it, to the latest usage.' })
  end_date?: string;
}

const tokens = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, description, example }) as const;

/** A model that was used and has no known price. */
@ApiSchema({ name: 'GovernanceUnpricedModelDto' })
export class UnpricedModelDto {
  @ApiProperty({ example: 'azure' })
  provider!: string;

  @ApiProperty({ example: 'prod-chat' })
  model!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Requests that add nothing to any cost.', example: 318 })
  unpriced_requests!: number;

  @ApiProperty({ format: 'date', description: 'First day with such a request, UTC.', example: '2026-11-03' })
  first_day!: string;

  @ApiProperty({ format: 'date', description: 'Last day with such a request.', example: '2026-11-20' })
  last_day!: string;

  @ApiProperty(
    tokens(
      'Input tokens of that usage; where a user had a price for a part of a day, those of the whole day.',
      1_204_000,
    ),
  )
  input_tokens!: number;

  @ApiProperty(tokens('Output tokens, likewise.', 88_000))
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
