import { ApiSchema } from '@nestjs/swagger';
import { PageQueryDto, f, dtoOf } from '#access';
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
export class UnpricedModelDto extends dtoOf({
  provider: f.text('azure'),
  model: f.text('prod-chat'),
  unpriced_requests: f.integer(318, 'Requests without a known price. They add nothing to the cost.', { minimum: 1 }),
  first_day: f.day('2026-11-03', 'First day with such a request, UTC.'),
  last_day: f.day('2026-11-20', 'Last day with such a request.'),
  input_tokens: f.of<number>(
    tokens(
      'Input tokens of the usage without a price. If a user had a price for part of a day, the whole day counts.',
      1_204_000,
    ),
  ),
  output_tokens: f.of<number>(tokens('Output tokens, counted in the same way.', 88_000)),
}) {}

/** A model without a price on the wire. */
export function presentUnpriced(model: UnpricedModel): UnpricedModelDto {
  return {
    ...model,
    unpriced_requests: Number(model.unpriced_requests),
    input_tokens: Number(model.input_tokens),
    output_tokens: Number(model.output_tokens),
  };
}
