import { BUDGET_SCOPES } from '#outbox';

import { ALERTS_MAX, BUDGET_AMOUNT_MAX, BUDGET_TEXT_MAX } from './budget-rules.js';

/** Descriptions and schemas of budget fields, for request bodies and responses. */
export const TEXT = { type: String, minLength: 1, maxLength: BUDGET_TEXT_MAX } as const;
export const DOLLARS = { type: Number, minimum: 0 } as const;
export const AMOUNT = { ...DOLLARS, maximum: BUDGET_AMOUNT_MAX } as const;

export const NAME = {
  description: 'A label for people. Not blank; counted in Unicode code points.',
  example: 'Sales, monthly',
};
export const SCOPE = {
  description:
    'Spending that the budget limits: one word, or an object of conditions that must all hold, such as ' +
    '`{ "department": "Sales", "project": "copilot", "model": "gpt-5*" }`. The fields are `department`, `project`, ' +
    '`model`, `user_id`, `token` and `tags.<key>`.',
  example: 'department',
};
export const SCOPE_SCHEMA = {
  oneOf: [
    { type: 'string', enum: [...BUDGET_SCOPES] },
    { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
  ],
};
export const SPLIT_BY = {
  optional: true,
  nullable: true,
  description:
    'Each user, department, project or token that the scope covers has the amount. Left out, all share it. Those who ' +
    'have none share one amount.',
  example: null,
};
export const ALERTS = {
  optional: true,
  nullable: true,
  description: 'Shares of the amount at which `budget_warning` is sent, ascending. Left out or null: at 0.8.',
  example: null,
};
export const ALERTS_SCHEMA = { type: 'array' as const, items: { type: 'number' }, minItems: 1, maxItems: ALERTS_MAX };
export const DEPARTMENT = {
  optional: true,
  nullable: true,
  description: 'Exact name of the department in the directory. Only with the scope `department`, where it is required.',
  example: 'Sales',
};
export const USER = {
  optional: true,
  nullable: true,
  description: 'A user of the organization. Only with the scope `user`, where it is required.',
  example: null,
};
export const MODEL = {
  optional: true,
  nullable: true,
  description: 'Name or pattern with `*`, compared without case. Only with the scope `model`, where it is required.',
  example: null,
};
export const AMOUNT_USD = { description: 'US dollars per window; at most 12 decimals.', example: 500 };
export const PERIOD = {
  description:
    'Of windows in the time zone of the organization. Weeks begin on Monday, quarters and years with its fiscal year.',
  example: 'monthly',
};
export const ENFORCEMENT = {
  description:
    '`notify` tells people at 80 and 100 %, or at thresholds of your own; `block` also refuses requests that do not fit.',
  example: 'block',
};
export const OF_PARTS = 'Null if the budget is split: list its parts instead.';
export const FIXED = 'Cannot be changed; you may send the current value.';

export const READ_ONLY = [
  ...['id', 'org_id', 'created_at', 'updated_at', 'window_start', 'window_end'],
  ...['spent_usd', 'reserved_usd', 'remaining_usd', 'projected_exhaustion'],
];
