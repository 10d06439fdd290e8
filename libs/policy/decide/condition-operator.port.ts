/**
 * The value of an attribute that is present: never null or undefined. The built-in operators compare strings, numbers
 * and booleans. For them, a list or an object equals no value. Operators of a host receive lists and objects unchanged.
 */
export type PresentValue = string | number | boolean | object;

/**
 * One error in an operand. `at` extends the field's path, for instance by `[2]`. Without `at`, the whole operand is
 * wrong.
 */
export interface OperandFault {
  readonly at?: string;
  readonly message: string;
}

/**
 * How the engine may use an index instead of calling the operator. `values`: the result is `matches` for exactly these
 * values, and `!matches` for every other present value. `scan`: the test is pure and cheap. It may run once per
 * distinct value, and its result may be cached.
 */
export type OperandIndex =
  | { readonly kind: 'values'; readonly values: readonly (string | number | boolean)[]; readonly matches: boolean }
  | { readonly kind: 'scan' };

/**
 * One operator of policy conditions, `{ <attribute>: { <name>: <operand> } }`. The built-in operators implement the
 * same port. For `email` and `email_domain`, operators receive value and operand in lower case.
 */
export abstract class ConditionOperator<Operand = unknown> {
  /**
   * The operator's key in conditions: lower-case letters, digits and `_`, beginning with a letter. Unique among all
   * operators.
   */
  abstract readonly name: string;

  /**
   * The error in an operand, with a message that explains what to write instead; undefined if the operand is valid.
   * Called when a policy is written, and again when policies are compiled. Sizes are already checked. Must not throw.
   */
  abstract validateOperand(operand: unknown): string | readonly OperandFault[] | undefined;

  /**
   * Returns the test for one operand. `validateOperand` has accepted this operand. This method is called once per
   * compilation; the test is called for every candidate of every decision. The test must not throw: an error in it
   * fails the whole decision, not only the policy.
   */
  abstract compile(operand: Operand): (value: PresentValue) => boolean;

  /** Whether a condition matches if the attribute is missing or null. The test is not called then. */
  abstract matchesMissing(operand: Operand): boolean;

  /**
   * Lets the engine find matches by index. If this is not implemented, the test runs after the index, on the remaining
   * candidates.
   */
  index?(operand: Operand): OperandIndex;
}
