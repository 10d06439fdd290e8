import type { MatchedCondition, PolicyMatch } from '../decide/index.js';
import type { MatchedPolicy, ShownCondition } from './decision.js';

/** Longer lists are not repeated in every decision; the policy's version says where to read them. */
const OPERAND_ENTRIES_SHOWN = 100;

const NONE: readonly MatchedPolicy[] = Object.freeze([]);

/** The policies of a decision, as they are answered and recorded. */
export function presentMatches(matches: readonly PolicyMatch[]): readonly MatchedPolicy[] {
  return matches.length === 0 ? NONE : matches.map(presentMatch);
}

function presentMatch(match: PolicyMatch): MatchedPolicy {
  const { id, name, action, version } = match.policy;
  return { id, name, action, version, matched_conditions: match.matchedConditions.map(withoutLongOperand) };
}

/** A condition without its operand, where that is a long list. */
export function withoutLongOperand(condition: MatchedCondition): ShownCondition {
  const { attribute, operator, operand, value } = condition;
  const long = Array.isArray(operand) && operand.length > OPERAND_ENTRIES_SHOWN;
  return long ? { attribute, operator, value } : condition;
}
