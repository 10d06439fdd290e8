import { describeEvent, freeField, textField, uuidField, windowField, type FieldsOf } from './event-description.js';

/** What a budget can be for. */
export const BUDGET_SCOPES = ['organization', 'department', 'user', 'model'] as const;
/** What a budget is for: one thing, or with `combined` what meets several conditions. */
export type BudgetScope = (typeof BUDGET_SCOPES)[number] | 'combined';

/** A stretch of time: `end` is the first instant after it. Both ISO 8601, UTC. */
export interface EventWindow {
  start: string;
  end: string;
}

/** `data` of `budget_warning` and `budget_exceeded`. */
export interface BudgetData {
  budget_id: string;
  scope: BudgetScope;
  /** Only with the scope `department`. */
  department?: string;
  /** Only with the scope `user`. */
  user_id?: string;
  /** Only with the scope `model`. */
  model?: string;
  /** Only with the scope `combined`: the conditions that all hold. */
  match?: Readonly<Record<string, string>>;
  /** Only where the budget is split: by what, and whose part of it this is. */
  split_by?: string;
  part?: string;
  window: EventWindow;
  amount_usd: number;
  spent_usd: number;
  /** The share of the amount whose reaching is reported: less than 1 warns, 1 is all. */
  threshold: number;
}

const FIELDS: FieldsOf<BudgetData> = {
  budget_id: uuidField('The budget.'),
  scope: { ...textField('What the budget is for.'), enum: [...BUDGET_SCOPES, 'combined'] },
  department: textField('The department, with the scope department.'),
  user_id: textField('The user, with the scope user.'),
  model: textField('The model, with the scope model.'),
  match: freeField('The conditions that all hold, with the scope combined.'),
  split_by: textField('By what the budget is split, if it is: user, department, project or token.'),
  part: textField('Whose part of a split budget it is: the id or name; empty for those who have none.'),
  window: windowField('The day, week, month, quarter or year that the budget counts.'),
  amount_usd: { description: 'The budget of the window in US dollars.', type: 'number', minimum: 0 },
  spent_usd: { description: 'What was spent in the window so far, in US dollars.', type: 'number', minimum: 0 },
  threshold: { description: 'The share of amount_usd that was reached, such as 0.8.', type: 'number', minimum: 0 },
};

const OPTIONAL = ['department', 'user_id', 'model', 'match', 'split_by', 'part'] as const;

const WARNING: BudgetData = {
  budget_id: '0199c2a8-8a10-7e55-b6f7-3d20c94e7a18',
  scope: 'department',
  department: 'Sales',
  window: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
  amount_usd: 500,
  spent_usd: 401.27,
  threshold: 0.8,
};

export const BUDGET_WARNING = describeEvent(
  'budget_warning',
  'Spend reached 80 % of a budget, or a threshold of its own. Once per budget, window, part and threshold.',
  WARNING,
  FIELDS,
  OPTIONAL,
);

export const BUDGET_EXCEEDED = describeEvent(
  'budget_exceeded',
  'Spend reached the limit of a budget. Once per budget, window and part.',
  { ...WARNING, spent_usd: 500.94, threshold: 1 },
  FIELDS,
  OPTIONAL,
);
