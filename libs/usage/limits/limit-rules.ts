import type { FieldError } from '#core';
import type { BudgetScope } from '#outbox';
import { draftFaults as budgetFaults, FAULT_OF as BUDGET_FAULT_OF, fixedFaults } from '../budgets/budget-rules.js';
import type { ScopeMatch, ScopeSplit } from '../scopes/index.js';

/** Largest number per minute, and of concurrent requests. */
export const LIMIT_MAX = 2_000_000_000;

/** Input of a limit. Limits have the same scopes and splits as budgets. At least one number is required. */
export interface LimitDraft {
  /** 1 to 255 characters (code points), not only blanks. */
  name: string;
  scope: BudgetScope;
  match?: ScopeMatch | null;
  department?: string | null;
  userId?: string | null;
  model?: string | null;
  splitBy?: ScopeSplit | null;
  /** Maximum number of requests in any minute, 1 to 2·10⁹. */
  requestsPerMinute?: number | null;
  /** Maximum number of tokens that the requests of any minute state, 1 to 2·10⁹. */
  tokensPerMinute?: number | null;
  /** Maximum number of requests whose usage is not reported yet, 1 to 2·10⁹. */
  concurrentRequests?: number | null;
}

const NUMBERS = {
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrentRequests: 'concurrent_requests',
} as const;

type NumberField = keyof typeof NUMBERS;

const NUMBER_FIELDS: readonly NumberField[] = ['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'];

/** Returns the fault of a number, or undefined. */
function limitFault(value: unknown): string | undefined {
  const fits = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMIT_MAX;
  return fits ? undefined : `must be a whole number from 1 to ${LIMIT_MAX}, or null`;
}

/** Returns the fault of a name, or undefined. */
export const nameFault = BUDGET_FAULT_OF.name;

/** Returns all faults of a new limit. Calls that do not come over HTTP need this check too. */
export function limitDraftFaults(draft: LimitDraft): FieldError[] {
  const { name, scope, match, department, userId, model, splitBy } = draft;
  const about = { name, scope, match, department, userId, model, splitBy };
  const given = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  const terms = { amountUsd: 0, period: 'daily', enforcement: 'notify' } as const;
  // Limits have the same scopes and splits as budgets, so the rules of budgets apply.
  const faults = [...budgetFaults({ name, scope, ...given, ...terms }), ...numberFaults(draft)];
  if (faults.length > 0 || NUMBER_FIELDS.some(field => (draft[field] ?? null) !== null)) return faults;
  return [{ field: NUMBERS.requestsPerMinute, message: `is required where ${OTHERS} are missing` }];
}

const OTHERS = `${NUMBERS.tokensPerMinute} and ${NUMBERS.concurrentRequests}`;

/** Returns the faults of scope and split, which cannot change. A field that repeats the current value has no fault. */
export function fixedLimitFaults(
  limit: Pick<Required<LimitDraft>, 'scope' | 'department' | 'userId' | 'model' | 'splitBy'> & {
    readonly match: ScopeMatch | null;
  },
  patch: Partial<LimitDraft>,
): FieldError[] {
  const { scope, match, department, userId, model, splitBy } = patch;
  const about = { scope, match, department, userId, model, splitBy };
  const given = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  return fixedFaults(limit, given, 'limit');
}

/** Returns all faults of the supplied numbers. */
export function numberFaults(draft: Partial<LimitDraft>): FieldError[] {
  return NUMBER_FIELDS.flatMap(field => {
    const value = draft[field];
    const message = value === undefined || value === null ? undefined : limitFault(value);
    return message === undefined ? [] : [{ field: NUMBERS[field], message }];
  });
}
