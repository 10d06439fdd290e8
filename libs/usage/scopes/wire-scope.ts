import { BUDGET_SCOPES, type BudgetScope } from '#outbox';
import { matchFault, type ScopeMatch } from './scope-match.js';

/** A scope in a request body: a word, or conditions that must all hold. */
export type WireScope = BudgetScope | ScopeMatch;

/** Returns the fault of a scope, or undefined. */
export function scopeFault(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null) return matchFault(value);
  const message = `must be one of: ${BUDGET_SCOPES.join(', ')}; or an object of conditions`;
  return BUDGET_SCOPES.some(scope => scope === value) ? undefined : message;
}

/** Converts a scope of a request body to the stored form. */
export function scopeOf(scope: WireScope): { scope: BudgetScope; match?: ScopeMatch } {
  return typeof scope === 'string' ? { scope } : { scope: 'combined', match: scope };
}
