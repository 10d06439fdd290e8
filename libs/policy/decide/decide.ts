import { comparable, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { CompiledPolicies } from './compile.js';
import type { PositionSet } from './position-set.js';
import { Verdict } from './verdict.js';

/**
 * Decides one request: `block` wins over `require_approval`, then `alert`, then `allow`. Without a match, the default
 * action applies. Pure: the same policies, subject and request give the same verdict. The action costs one look-up per
 * attribute that conditions name, nearly independent of the number of policies. The cost of the lists grows with their
 * length.
 */
export function decide(compiled: CompiledPolicies, subject: DecisionSubject, request: DecisionRequest): Verdict {
  const sets: PositionSet[] = [];
  for (const { attribute, column } of compiled.index.columns) {
    const value = attribute.read(subject, request);
    sets.push(column.allowedBy(attribute.caseless ? comparable(attribute, value) : value));
  }
  // No policy has conditions, so every policy matches.
  if (sets.length === 0) sets.push(compiled.index.space.full());
  return new Verdict(compiled, sets, subject, request);
}
