import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, IgnoresReadOnly, PageQueryDto, UuidField, f, dtoOf } from '#access';
import { BUDGET_SCOPES, type BudgetScope } from '#outbox';
import {
  SCOPE_SPLITS,
  scopeFault,
  scopeOf,
  type ScopeMatch,
  type ScopeSplit,
  type WireScope,
} from '../scopes/index.js';
import { BUDGET_PERIODS, type BudgetPeriod } from '../windows/index.js';
import { BUDGET_TEXT_MAX, FAULT_OF, type BudgetDraft } from './budget-rules.js';
import { BUDGET_ENFORCEMENTS, type BudgetEnforcement } from './budget-scope.js';
import {
  TEXT,
  DOLLARS,
  AMOUNT,
  NAME,
  SCOPE,
  SCOPE_SCHEMA,
  SPLIT_BY,
  ALERTS,
  ALERTS_SCHEMA,
  DEPARTMENT,
  USER,
  MODEL,
  AMOUNT_USD,
  PERIOD,
  ENFORCEMENT,
  OF_PARTS,
  FIXED,
  READ_ONLY,
} from './budget-fields.js';

/** Body of `POST /v1/budgets`. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceCreateBudgetDto' })
export class CreateBudgetDto {
  @CheckedField(NAME, TEXT, FAULT_OF.name)
  name!: string;

  @CheckedField(SCOPE, SCOPE_SCHEMA, scopeFault)
  scope!: WireScope;

  @ChoiceField(SCOPE_SPLITS, SPLIT_BY)
  split_by?: ScopeSplit | null;

  @CheckedField(ALERTS, ALERTS_SCHEMA, FAULT_OF.alerts)
  alert_thresholds?: number[] | null;

  @CheckedField(DEPARTMENT, TEXT, FAULT_OF.department)
  department?: string | null;

  @UuidField(USER)
  user_id?: string | null;

  @CheckedField(MODEL, TEXT, FAULT_OF.model)
  model?: string | null;

  @CheckedField(AMOUNT_USD, AMOUNT, FAULT_OF.amountUsd)
  amount_usd!: number;

  @ChoiceField(BUDGET_PERIODS, PERIOD)
  period!: BudgetPeriod;

  @ChoiceField(BUDGET_ENFORCEMENTS, ENFORCEMENT)
  enforcement!: BudgetEnforcement;
}

/** Body of `PATCH /v1/budgets/{id}`: only the supplied fields change. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceUpdateBudgetDto' })
export class UpdateBudgetDto {
  @CheckedField({ ...NAME, optional: true }, TEXT, FAULT_OF.name)
  name?: string;

  @CheckedField({ ...AMOUNT_USD, optional: true }, AMOUNT, FAULT_OF.amountUsd)
  amount_usd?: number;

  @ChoiceField(BUDGET_ENFORCEMENTS, { ...ENFORCEMENT, optional: true })
  enforcement?: BudgetEnforcement;

  @CheckedField(ALERTS, ALERTS_SCHEMA, FAULT_OF.alerts)
  alert_thresholds?: number[] | null;

  @CheckedField({ optional: true, description: FIXED, example: SCOPE.example }, SCOPE_SCHEMA, scopeFault)
  scope?: WireScope;

  @ChoiceField(SCOPE_SPLITS, { ...SPLIT_BY, description: FIXED })
  split_by?: ScopeSplit | null;

  @CheckedField({ ...DEPARTMENT, description: FIXED }, TEXT, FAULT_OF.department)
  department?: string | null;

  @UuidField({ ...USER, description: FIXED })
  user_id?: string | null;

  @CheckedField({ ...MODEL, description: FIXED }, TEXT, FAULT_OF.model)
  model?: string | null;

  @ChoiceField(BUDGET_PERIODS, { ...PERIOD, optional: true, description: FIXED })
  period?: BudgetPeriod;
}

/** Filters of the budget list. */
export class BudgetQueryDto extends PageQueryDto {
  @ChoiceField(BUDGET_SCOPES, { optional: true, description: 'Only budgets of this scope.' })
  scope?: BudgetScope;

  @ChoiceField(BUDGET_ENFORCEMENTS, { optional: true, description: 'Only budgets with this enforcement.' })
  enforcement?: BudgetEnforcement;
}

/** A budget and its spending in the current window. */
@ApiSchema({ name: 'GovernanceBudgetResponseDto' })
export class BudgetResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  name: f.text(NAME.example, undefined, { maxLength: BUDGET_TEXT_MAX }),
  scope: f.of<string | ScopeMatch>({
    ...SCOPE_SCHEMA,
    description: 'One word, or conditions that must all hold.',
    example: 'department',
  }),
  department: f.text('Sales', 'Null with any other scope.').nullable(),
  user_id: f.uuid(null, 'Null with any other scope.').nullable(),
  model: f.text(null, 'Null with any other scope.').nullable(),
  split_by: f.choice(SCOPE_SPLITS, 'user', 'Only if the budget is split.').optional(),
  alert_thresholds: f
    .of<number[]>({
      type: [Number],
      description: 'Only if they differ from 0.8: shares of the amount at which `budget_warning` is sent.',
      example: [0.5, 0.9],
    })
    .optional(),
  amount_usd: f.of<number>({
    ...DOLLARS,
    description: 'US dollars per window; for each part if the budget is split.',
    example: 500,
  }),
  period: f.choice(BUDGET_PERIODS, 'monthly'),
  enforcement: f.choice(BUDGET_ENFORCEMENTS, 'block'),
  window_start: f.instant('2026-10-31T23:00:00.000Z', 'First instant of the window.'),
  window_end: f.instant('2026-11-30T23:00:00.000Z', 'First instant after the window.'),
  spent_usd: f
    .of<number>({
      ...DOLLARS,
      description: `Cost of the usage that was reported in the window. ${OF_PARTS}`,
      example: 310.25,
    })
    .nullable(),
  reserved_usd: f
    .of<number>({
      ...DOLLARS,
      description: `Reserved for allowed requests whose usage is not reported yet. 0 with \`notify\`. ${OF_PARTS}`,
      example: 1.5,
    })
    .nullable(),
  remaining_usd: f
    .of<number>({
      ...DOLLARS,
      description: `The amount that is neither spent nor reserved; never below 0. ${OF_PARTS}`,
      example: 188.25,
    })
    .nullable(),
  projected_exhaustion: f
    .instant(
      '2026-11-29T18:20:00.000Z',
      'Time at which spending reaches the amount at its pace since the window began; null if not within the window. ' +
        'After that, the time at which it was noticed.',
    )
    .nullable(),
  created_at: f.instant('2026-11-02T08:00:00.000Z'),
  updated_at: f.instant('2026-11-02T08:00:00.000Z'),
}) {}

/** Maps a request body to a draft. Missing fields stay missing. */
export function draftOf(body: CreateBudgetDto): BudgetDraft;
export function draftOf(body: UpdateBudgetDto): Partial<BudgetDraft>;
export function draftOf(body: UpdateBudgetDto): Partial<BudgetDraft> {
  const { user_id, amount_usd, scope, split_by, alert_thresholds, ...rest } = body;
  return {
    ...rest,
    ...(scope === undefined ? {} : scopeOf(scope)),
    ...(split_by === undefined ? {} : { splitBy: split_by }),
    ...(alert_thresholds === undefined ? {} : { alerts: alert_thresholds }),
    ...(user_id === undefined ? {} : { userId: user_id }),
    ...(amount_usd === undefined ? {} : { amountUsd: amount_usd }),
  };
}
