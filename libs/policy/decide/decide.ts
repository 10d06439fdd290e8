import { comparable, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { CompiledPolicies } from './compile.js';
import type { PositionSet } from './position-set.js';
import { Verdict } from './verdict.js';

/**
 * Decides about one request. The precedence of actions is `block`, `require_approval`, `alert`, `allow`. Without a
 * match, the default action applies. Pure: the same policies, subject and request always result in the same verdict.
 * The action costs one look-up per attribute in conditions, nearly independent of the number of policies. The cost of
 * the lists grows with their length.
 */
export function decide(compiled: CompiledPolicies, subject: DecisionSubject, request: DecisionRequest): Verdict {
  const sets: PositionSet[] = [];
  for (const { attribute, column } of compiled.index.columns) {
    const value = attribute.read(subject, request);
    sets.push(column.allowedBy(attribute.caseless ? comparable(attribute, value) : value));
  }
  // If no policy has conditions, every policy matches.
  if (sets.length === 0) sets.push(compiled.index.space.full());
  return new Verdict(compiled, sets, subject, request);
}
