import type { ModelPattern } from './model-pattern.js';
import { normalLabel } from './price-override.js';

/** The provider and the models to which an entry of an organization applies. */
export interface Matcher {
  /** The normalized provider, for comparisons; null for every provider. */
  provider: string | null;
  pattern: ModelPattern;
}

/** Whether an entry applies to a model of a provider. */
export function applies({ provider: own, pattern }: Matcher, provider: string, model: string): boolean {
  return (own === null || own === normalLabel(provider)) && pattern.matches(model);
}

/**
 * Orders entries by specificity, the most specific first: an exact model before a pattern, a pattern with more fixed
 * characters before one with fewer, a named provider before every provider.
 */
export function bySpecificity(a: Matcher, b: Matcher): number {
  return (
    Number(b.pattern.isExact) - Number(a.pattern.isExact) ||
    b.pattern.literalLength - a.pattern.literalLength ||
    Number(b.provider !== null) - Number(a.provider !== null)
  );
}
