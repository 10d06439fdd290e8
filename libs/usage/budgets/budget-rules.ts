import { isDeepStrictEqual } from 'node:util';
import { isStorableText, isUuid, type FieldError } from '#core';
import { BUDGET_SCOPES, type BudgetScope } from '#outbox';
import { usdToPico } from '../prices/index.js';
import { matchFault, normalMatch, SCOPE_SPLITS, type ScopeMatch, type ScopeSplit } from '../scopes/index.js';
import { BUDGET_PERIODS, type BudgetPeriod } from '../windows/index.js';
import { BUDGET_ENFORCEMENTS, type BudgetEnforcement } from './budget-scope.js';

/** Maximum length of a budget's name and subject, in Unicode code points. */
export const BUDGET_TEXT_MAX = 255;

/** Maximum amount of a budget in US dollars. */
export const BUDGET_AMOUNT_MAX = 1_000_000_000_000;

/**
 * Input of a budget. Each scope allows either one of the fields `department`, `userId` and `model`, or none of them.
 */
export interface BudgetDraft {
  /** 1 to 255 characters (code points), not only blanks. */
  name: string;
  /** Required with the scope `combined`: `match` holds its conditions. */
  scope: BudgetScope;
  /** Conditions that must all hold. Only with the scope `combined`. */
  match?: ScopeMatch | null;
  /** Each value of this dimension has its own amount. Null: all requests share one amount. */
  splitBy?: ScopeSplit | null;
  /** Shares of the amount between 0 and 1 at which `budget_warning` is sent; null for 0.8. */
  alerts?: readonly number[] | null;
  /** Exact name of the department in the directory. Only with the scope `department`. */
  department?: string | null;
  /** A user of the organization. Only with the scope `user`. */
  userId?: string | null;
  /** Name of a model, or a pattern with `*`. Compared without case. Only with the scope `model`. */
  model?: string | null;
  /** US dollars from 0 to 10¹², with at most 12 decimals. */
  amountUsd: number;
  period: BudgetPeriod;
  enforcement: BudgetEnforcement;
}

/** Fields that cannot be changed. */
const FIXED_FIELDS = ['scope', 'department', 'userId', 'model', 'period', 'splitBy'] as const;

const SUBJECTS = ['department', 'userId', 'model'] as const;

const WIRE_NAMES: Record<keyof BudgetDraft, string> = {
  name: 'name',
  scope: 'scope',
  match: 'scope',
  splitBy: 'split_by',
  alerts: 'alert_thresholds',
  department: 'department',
  userId: 'user_id',
  model: 'model',
  amountUsd: 'amount_usd',
  period: 'period',
  enforcement: 'enforcement',
};

/** The field that each scope requires. The scope `organization` requires none. */
const SUBJECT_OF: Record<BudgetScope, (typeof SUBJECTS)[number] | null> = {
  organization: null,
  department: 'department',
  user: 'userId',
  model: 'model',
  combined: null,
};

/** Fields that may be null. */
const NULLABLE: ReadonlySet<keyof BudgetDraft> = new Set([...SUBJECTS, 'match', 'splitBy', 'alerts']);

/** Maximum number of thresholds per budget. */
export const ALERTS_MAX = 10;

/** Maps each field to a function that returns the fault of a value, or undefined. */
export const FAULT_OF: Record<keyof BudgetDraft, (value: unknown) => string | undefined> = {
  name: textFault,
  scope: value => (value === 'combined' ? undefined : choiceFault(BUDGET_SCOPES, value)),
  match: matchFault,
  splitBy: value => choiceFault(SCOPE_SPLITS, value),
  alerts: alertsFault,
  department: textFault,
  userId: value => (isUuid(value) ? undefined : 'must be a UUID'),
  model: textFault,
  amountUsd: value =>
    amountOf(value) === undefined
      ? `must be US dollars as a number from 0 to ${BUDGET_AMOUNT_MAX}, with at most 12 decimals`
      : undefined,
  period: value => choiceFault(BUDGET_PERIODS, value),
  enforcement: value => choiceFault(BUDGET_ENFORCEMENTS, value),
};

/** An amount in picodollars; undefined if a budget cannot have this amount. */
export function amountOf(usd: unknown): bigint | undefined {
  if (typeof usd !== 'number' || !(usd >= 0 && usd <= BUDGET_AMOUNT_MAX)) return undefined;
  // Parses the amount as text, because a conversion to a number could round it.
  return usdToPico(String(usd));
}

/** Returns all faults of a new budget. Calls that do not come over HTTP need this check too. */
export function draftFaults(draft: BudgetDraft): FieldError[] {
  const faults = valueFaults(draft);
  for (const field of ['name', 'scope', 'amountUsd', 'period', 'enforcement'] as const) {
    if (draft[field] === undefined) faults.push({ field: WIRE_NAMES[field], message: 'is required' });
  }
  return faults.length > 0 ? faults : subjectFaults(draft);
}

/** Returns the faults of the supplied fields. */
export function valueFaults(draft: Partial<BudgetDraft>): FieldError[] {
  // FAULT_OF has a check for every field of a draft.
  return (Object.keys(FAULT_OF) as (keyof BudgetDraft)[]).flatMap(field => {
    const value = draft[field];
    if (value === undefined || (value === null && NULLABLE.has(field))) return [];
    const message = FAULT_OF[field](value);
    return message === undefined ? [] : [{ field: WIRE_NAMES[field], message }];
  });
}

/** Returns the faults of fields that cannot change. A field that repeats the current value has no fault. */
export function fixedFaults(
  budget: Readonly<Partial<Record<(typeof FIXED_FIELDS)[number], string | null>>> & {
    readonly match: ScopeMatch | null;
  },
  patch: Partial<BudgetDraft>,
  what = 'budget',
): FieldError[] {
  const differing: (keyof BudgetDraft)[] = FIXED_FIELDS.filter(field => {
    const value = field === 'userId' ? patch.userId?.toLowerCase() : patch[field];
    return patch[field] !== undefined && (value ?? null) !== (budget[field] ?? null);
  });
  const match = patch.match && normalMatch(patch.match);
  if (differing.length === 0 && match && !isDeepStrictEqual(match, budget.match)) differing.push('match');
  return differing.map(field => ({
    field: WIRE_NAMES[field],
    message: `cannot be changed; make another ${what} and delete this one`,
  }));
}

function subjectFaults(draft: BudgetDraft): FieldError[] {
  const needed = SUBJECT_OF[draft.scope];
  if (draft.scope === 'combined' && !draft.match) return [{ field: 'scope', message: 'must name what it combines' }];
  return SUBJECTS.flatMap(field => {
    const isGiven = (draft[field] ?? null) !== null;
    if (isGiven === (field === needed)) return [];
    const message = isGiven
      ? `is not allowed with the scope ${draft.scope}; leave it out`
      : `is required with the scope ${draft.scope}`;
    return [{ field: WIRE_NAMES[field], message }];
  });
}

function alertsFault(value: unknown): string | undefined {
  const isShare = (entry: unknown): boolean => typeof entry === 'number' && entry > 0 && entry < 1;
  const fits =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= ALERTS_MAX &&
    value.every((entry, at) => isShare(entry) && (at === 0 || entry > value[at - 1]));
  return fits
    ? undefined
    : `must be 1 to ${ALERTS_MAX} shares of the amount in ascending order, each above 0 and below 1, such as [0.5, 0.9]`;
}

function textFault(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'must be a text';
  if (text.trim() === '') return 'must not be empty or blank';
  if (!isStorableText(text)) return 'must not contain NUL or half of a surrogate pair';
  const length = text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
  return length > BUDGET_TEXT_MAX ? `must be at most ${BUDGET_TEXT_MAX} characters` : undefined;
}

function choiceFault(values: readonly string[], value: unknown): string | undefined {
  return typeof value === 'string' && values.includes(value) ? undefined : `must be one of: ${values.join(', ')}`;
}
