import { BUDGET_SCOPES } from '#outbox';

import { ALERTS_MAX, BUDGET_AMOUNT_MAX, BUDGET_TEXT_MAX } from './budget-rules.js';

/** Words and schemas of a budget's fields, which its bodies and its answer share. */
export const TEXT = { type: String, minLength: 1, maxLength: BUDGET_TEXT_MAX } as const;
export const DOLLARS = { type: Number, minimum: 0 } as const;
export const AMOUNT = { ...DOLLARS, maximum: BUDGET_AMOUNT_MAX } as const;

export const NAME = {
  description: 'For people. Not blank; counted in Unicode code points.',
  example: 'Sales, monthly',
};
export const SCOPE = {
  description:
    'Whose spending, or on what, the budget limits: one word, or an object of conditions that all hold, such as ' +
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
  description: 'Exactly as it stands with the people. Required with the scope `department`, and only there.',
  example: 'Sales',
};
export const USER = {
  optional: true,
  nullable: true,
  description: 'A user of the organization. Required with the scope `user`, and only there.',
  example: null,
};
export const MODEL = {
  optional: true,
  nullable: true,
  description: 'Name or pattern with `*`, without case. Required with the scope `model`, and only there.',
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
export const OF_PARTS = 'Null where the budget is split: ask for its parts.';
export const FIXED = 'Cannot be changed; what it is already may be sent back.';

export const READ_ONLY = [
  ...['id', 'org_id', 'created_at', 'updated_at', 'window_start', 'window_end'],
  ...['spent_usd', 'reserved_usd', 'remaining_usd', 'projected_exhaustion'],
];
