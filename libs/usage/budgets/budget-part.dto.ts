import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, IgnoresReadOnly, PageQueryDto, f, dtoOf } from '#access';
import { isStorableText } from '#core';
import { BUDGET_AMOUNT_MAX, BUDGET_TEXT_MAX, FAULT_OF } from './budget-rules.js';
import { dollars } from './budget.presenter.js';
import type { ShownPart } from './budget-parts.service.js';

const DOLLARS = { type: Number, minimum: 0 } as const;
const PART = {
  description:
    'The id of the user or token, or the name of the department or project. Empty for requests without a value.',
  example: '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4',
};
const PART_SCHEMA = { type: String, maxLength: BUDGET_TEXT_MAX } as const;

function partFault(value: unknown): string | undefined {
  const fits = typeof value === 'string' && value.length <= BUDGET_TEXT_MAX && isStorableText(value);
  return fits ? undefined : `must be a text of at most ${BUDGET_TEXT_MAX} characters`;
}

/** Filter for the parts of a budget. */
export class BudgetPartQueryDto extends PageQueryDto {
  @CheckedField({ ...PART, optional: true, description: 'Only this part.' }, PART_SCHEMA, partFault)
  part?: string;
}

/** Body of `PUT /v1/budgets/{id}/overrides`. */
@IgnoresReadOnly('budget_id', 'window_start', 'window_end', 'spent_usd', 'reserved_usd', 'remaining_usd')
@ApiSchema({ name: 'GovernanceBudgetOverrideDto' })
export class BudgetOverrideDto {
  @CheckedField(PART, PART_SCHEMA, partFault)
  part!: string;

  @CheckedField(
    { nullable: true, description: 'US dollars per window; null to use the amount of the budget.', example: 200 },
    { ...DOLLARS, maximum: BUDGET_AMOUNT_MAX },
    FAULT_OF.amountUsd,
  )
  amount_usd!: number | null;
}

/** Current spending of one part of a split budget. */
@ApiSchema({ name: 'GovernanceBudgetPartDto' })
export class BudgetPartResponseDto extends dtoOf({
  budget_id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18'),
  part: f.of<string>({ type: String, ...PART, maxLength: BUDGET_TEXT_MAX }),
  amount_usd: f.of<number>({
    ...DOLLARS,
    description: 'US dollars per window: the own amount of the part, or the amount of the budget.',
    example: 200,
  }),
  window_start: f.instant('2026-10-31T23:00:00.000Z'),
  window_end: f.instant('2026-11-30T23:00:00.000Z'),
  spent_usd: f.of<number>({ ...DOLLARS, example: 12.5 }),
  reserved_usd: f.of<number>({ ...DOLLARS, example: 0.5 }),
  remaining_usd: f.of<number>({ ...DOLLARS, example: 187 }),
}) {}

/** A part as the API shows it. */
export function presentPart({ budgetId, part, amount, window, spent, reserved }: ShownPart): BudgetPartResponseDto {
  const left = amount - spent - reserved;
  return {
    budget_id: budgetId,
    part,
    amount_usd: dollars(amount),
    window_start: window.start.toISOString(),
    window_end: window.end.toISOString(),
    spent_usd: dollars(spent),
    reserved_usd: dollars(reserved),
    remaining_usd: dollars(left > 0n ? left : 0n),
  };
}
