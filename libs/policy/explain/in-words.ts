import type { PolicyAction } from '../decide/index.js';
import type { ShownCondition } from '../records/decision.js';
import type { ExplainedDecision, ExplainedPolicy } from './explanation.js';

const TEXT_MAX = 80;
const ENTRIES_MAX = 5;

type Phrase = (operand: unknown) => string;

const PHRASES: Readonly<Record<string, Phrase>> = {
  in: operand => `is one of ${listed(operand)}`,
  not_in: operand => `is none of ${listed(operand)}`,
  eq: operand => `is ${quoted(operand)}`,
  not_eq: operand => `is not ${quoted(operand)}`,
  starts_with: operand => `begins with ${quoted(operand)}`,
  ends_with: operand => `ends with ${quoted(operand)}`,
  exists: operand => (operand === true ? 'is there' : 'is not there'),
  gt: operand => `is greater than ${quoted(operand)}`,
  gte: operand => `is at least ${quoted(operand)}`,
  lt: operand => `is less than ${quoted(operand)}`,
  lte: operand => `is at most ${quoted(operand)}`,
};

const SAYS = {
  allow: 'allows it',
  alert: 'allows it with an alert',
  require_approval: 'requires an approval',
  block: 'blocks it',
} as const satisfies Record<PolicyAction, string>;

/** A condition as text: `department is none of "Research"`. */
export function conditionInWords({ attribute, operator, operand }: Omit<ShownCondition, 'value'>): string {
  const phrase = Object.hasOwn(PHRASES, operator) ? PHRASES[operator] : undefined;
  return `${attribute} ${phrase?.(operand) ?? `${operator} ${quoted(operand)}`}`;
}

/** A value as text. */
export function valueInWords(value: unknown): string {
  return value === null || value === undefined ? 'missing' : quoted(value);
}

/** Summarizes a decision in one sentence. Uses only the data of the record. */
export function summaryOf(decision: ExplainedDecision): string {
  const { name, email, user_id: userId } = decision.person;
  const who = name ?? email ?? userId ?? 'Somebody';
  return `${cut(who)} ${outcomeOf(decision)} ${cut(decision.model)} of ${cut(decision.provider)}: ${causeOf(decision)}.`;
}

function outcomeOf({ action, allowed }: Pick<ExplainedDecision, 'action' | 'allowed'>): string {
  if (allowed) return action === 'alert' ? 'was allowed, with an alert, to use' : 'was allowed to use';
  return action === 'require_approval' ? 'needs an approval to use' : 'was refused';
}

function causeOf(decision: ExplainedDecision): string {
  const [first, second] = decision.policies;
  switch (decision.reason) {
    case 'user_suspended':
      return 'they were suspended, and suspended people are refused before any policy is evaluated';
    case 'user_inactive':
      return `their status was ${quoted(decision.person.status)}, and people who are not active are refused before any policy is evaluated`;
    case 'unknown_user':
      return 'the directory did not know them, and unknown people are refused before any policy is evaluated';
    case 'budget_exceeded':
      return `${budgets(decision)} would be exceeded`;
    case 'rate_limited':
      return 'a limit of requests or tokens would be exceeded';
    case 'model_not_allowed':
      return 'the access token is not for this model';
    case 'approval_granted':
      return `${first ? naming(grantedPolicy(decision.policies) ?? first) : 'a policy'} requires an approval, which had been granted`;
    case 'no_policy_matched':
      return `${nothing(decision)}, and the default action is ${decision.action}`;
    case 'policy':
      return first
        ? `${naming(first)} ${SAYS[first.action]}, because ${grounds(first)}${over(decision, first, second)}`
        : '';
  }
}

function nothing({ not_matched: others }: Pick<ExplainedDecision, 'not_matched'>): string {
  if (!others) return 'no policy matched';
  if (others.total === 0) return 'no policy was in force';
  return others.total === 1
    ? 'the one policy in force did not match'
    : `none of the ${others.total} policies in force matched`;
}

function budgets({ budgets: full = [] }: Pick<ExplainedDecision, 'budgets'>): string {
  const names = full.slice(0, ENTRIES_MAX).map(({ name }) => quoted(name));
  return `the ${full.length === 1 ? 'budget' : 'budgets'} ${names.join(', ')}`;
}

function grantedPolicy(policies: readonly ExplainedPolicy[]): ExplainedPolicy | undefined {
  return policies.find(({ action }) => action === 'require_approval');
}

function naming({ name, version }: ExplainedPolicy): string {
  return `the policy ${quoted(name)} (version ${version})`;
}

function grounds({ conditions }: ExplainedPolicy): string {
  if (conditions.length === 0) return 'it applies to every person';
  const shown = conditions.slice(0, ENTRIES_MAX).map(condition => {
    // Records omit long operands. If the history does not contain the version of the policy, the operand is unknown.
    if (condition.operand === undefined) return `${condition.attribute} was ${valueInWords(condition.value)}`;
    return `${conditionInWords(condition)} (it was ${valueInWords(condition.value)})`;
  });
  return joined(shown, conditions.length - shown.length);
}

function over(
  { policies, policies_total: total }: Pick<ExplainedDecision, 'policies' | 'policies_total'>,
  first: ExplainedPolicy,
  second: ExplainedPolicy | undefined,
): string {
  if (!second) return '';
  const others = total === 2 ? 'another policy' : `${total - 1} other policies`;
  if (second.action === first.action) return `; it is the oldest policy with this action, and ${others} matched, too`;
  const beaten = [...new Set(policies.slice(1).map(({ action }) => action))];
  return `; ${others} matched, too, and ${first.action} wins over ${joined(beaten, 0)}`;
}

function listed(operand: unknown): string {
  if (!Array.isArray(operand)) return quoted(operand);
  if (operand.length === 0) return 'nothing';
  const entries: unknown[] = operand;
  const shown = entries.slice(0, ENTRIES_MAX).map(entry => quoted(entry));
  return joined(shown, entries.length - shown.length, 'or');
}

function joined(parts: readonly string[], left: number, word: 'and' | 'or' = 'and'): string {
  const all = left > 0 ? [...parts, `${left} more`] : parts;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} ${word} ${all.at(-1)}`;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `“${cut(value)}”` : cut(JSON.stringify(value) ?? 'nothing');
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX).join('')}…` : text;
}
