// The decision engine: it evaluates policies for a request. Independent of frameworks, databases and clocks.

// Evaluate policies
export { compilePolicies, type CompiledPolicies, type CompileOptions } from './compile.js';
export { decide } from './decide.js';
export type { Verdict } from './verdict.js';
export type { DecisionRequest, DecisionSubject } from './attributes.js';
export { PolicyNotCompilableError, type DecidablePolicy } from './decidable-policy.js';
export { PolicyMatch, PolicyViolation, type MatchedCondition } from './policy-match.js';
export { ACTION_PRECEDENCE, POLICY_ACTIONS, VIOLATION_SEVERITY, type PolicyAction, type Severity } from './action.js';

// Explain results
export { examine, type Examination, type ExaminedCondition } from './examine.js';

// Validate policies
export { CONDITION_LIMITS, validateConditions, type Conditions } from './conditions.js';
export { KNOWN_ATTRIBUTES, OWN_ATTRIBUTE_KEY_MAX, OWN_ATTRIBUTE_PREFIX } from './attributes.js';
export { fitsModel, MODEL_MAX, validateModel } from './model-pattern.js';

// Add condition operators
export {
  ConditionOperator,
  type OperandFault,
  type OperandIndex,
  type PresentValue,
} from './condition-operator.port.js';
export { BUILT_IN_OPERATORS } from './built-in-operators.js';
export { BUILT_IN_REGISTRY, OperatorRegistrationError, OperatorRegistry } from './operator-registry.js';
