import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

/** Kinds of scopes that a budget can have. */
export const BUDGET_SCOPES = ['organization', 'department', 'user', 'model'] as const;
/** Scope of a budget: one kind, or `combined` for several conditions. */
export type BudgetScope = (typeof BUDGET_SCOPES)[number] | 'combined';

/** Fields of both budget events. The arguments are examples of the spend and the threshold. */
const fieldsOf = (spentUsd: number, threshold: number) => ({
  budget_id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18', 'The budget.'),
  scope: f.choice<BudgetScope>([...BUDGET_SCOPES, 'combined'], 'department', 'What the budget is for.'),
  department: f.text('Sales', 'The department, with the scope department.').optional(),
  user_id: f.text(undefined, 'The user, with the scope user.').optional(),
  model: f.text(undefined, 'The model, with the scope model.').optional(),
  match: f
    .record<Readonly<Record<string, string>>>(undefined, 'The conditions that all hold, with the scope combined.')
    .optional(),
  split_by: f.text(undefined, 'By what the budget is split, if it is: user, department, project or token.').optional(),
  part: f
    .text(undefined, 'Whose part of a split budget it is: the id or name; empty for those who have none.')
    .optional(),
  window: f.period(
    { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
    'The day, week, month, quarter or year that the budget counts.',
  ),
  amount_usd: f.decimal(500, 'The budget of the window in US dollars.', { minimum: 0 }),
  spent_usd: f.decimal(spentUsd, 'What was spent in the window so far, in US dollars.', { minimum: 0 }),
  // A share below 1 is a warning; 1 means that the whole amount was spent.
  threshold: f.decimal(threshold, 'The share of amount_usd that was reached, such as 0.8.', { minimum: 0 }),
});

export const BUDGET_WARNING = describeEvent(
  'budget_warning',
  'Spend reached 80 % of a budget, or a threshold of its own. Once per budget, window, part and threshold.',
  fieldsOf(401.27, 0.8),
);

export const BUDGET_EXCEEDED = describeEvent(
  'budget_exceeded',
  'Spend reached the limit of a budget. Once per budget, window and part.',
  fieldsOf(500.94, 1),
);

/** `data` of `budget_warning` and `budget_exceeded`. */
export type BudgetData = typeof BUDGET_WARNING.example;
