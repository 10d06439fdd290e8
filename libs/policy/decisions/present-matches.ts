import type { MatchedCondition, PolicyMatch } from '../decide/index.js';
import type { MatchedPolicy, ShownCondition } from './decision.js';
import { jsonLength } from './json-length.js';

// Longer operands are not repeated in every decision; the policy's version says where to read them.
const OPERAND_ENTRIES_SHOWN = 100;
const OPERAND_LENGTH_SHOWN = 2_000;

const NONE: readonly MatchedPolicy[] = Object.freeze([]);

/** The policies of a decision, as they are answered and recorded. */
export function presentMatches(matches: readonly PolicyMatch[]): readonly MatchedPolicy[] {
  return matches.length === 0 ? NONE : matches.map(presentMatch);
}

function presentMatch(match: PolicyMatch): MatchedPolicy {
  const { id, name, action, version } = match.policy;
  return { id, name, action, version, matched_conditions: match.matchedConditions.map(withoutLongOperand) };
}

/** A condition without its operand, where that is a list of many entries or has much text. */
export function withoutLongOperand(condition: MatchedCondition): ShownCondition {
  const { attribute, operator, operand, value } = condition;
  return isLong(operand) ? { attribute, operator, value } : condition;
}

function isLong(operand: unknown): boolean {
  if (Array.isArray(operand) && operand.length > OPERAND_ENTRIES_SHOWN) return true;
  return jsonLength(operand) > OPERAND_LENGTH_SHOWN;
}
