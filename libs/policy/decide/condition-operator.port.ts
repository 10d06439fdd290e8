/**
 * The value of an attribute that is present: never null, never undefined. The built-in operators compare strings,
 * numbers and booleans. For them, a list or an object equals nothing. Operators of a host get it unchanged.
 */
export type PresentValue = string | number | boolean | object;

/**
 * One defect of an operand. `at` extends the field's path, for instance `[2]`; without it, the defect is the operand
 * itself.
 */
export interface OperandFault {
  readonly at?: string;
  readonly message: string;
}

/**
 * How the engine may look an operator up instead of calling it.
 * `values`: the answer is `matches` for exactly these values and `!matches` for every other present value.
 * `scan`: the test is pure and cheap, so it may run once per distinct value and its answer may be remembered.
 */
export type OperandIndex =
  | { readonly kind: 'values'; readonly values: readonly (string | number | boolean)[]; readonly matches: boolean }
  | { readonly kind: 'scan' };

/**
 * One operator of policy conditions, `{ <attribute>: { <name>: <operand> } }`. The built-in operators implement the
 * same port. On `email` and `email_domain`, value and operand are in lower case before an operator sees them.
 */
export abstract class ConditionOperator<Operand = unknown> {
  /** The key in conditions: lower-case letters, digits and `_`, beginning with a letter. Unique in a registry. */
  abstract readonly name: string;

  /**
   * The defect of an operand, with a message that says what to write instead; undefined if it is valid. Called when a
   * policy is written and again when policies are compiled. Sizes are already checked. Must not throw.
   */
  abstract validateOperand(operand: unknown): string | readonly OperandFault[] | undefined;

  /**
   * The test for one operand that `validateOperand` has accepted. This method is called once per compilation; the test
   * is called for every candidate of every decision. The test must not throw: an error in it fails the whole decision,
   * not only the policy.
   */
  abstract compile(operand: Operand): (value: PresentValue) => boolean;

  /** Whether a condition matches when the attribute is missing or null; the test is not called then. */
  abstract matchesMissing(operand: Operand): boolean;

  /** Lets the engine find matches by look-up. Without it, the test runs after the index on the remaining candidates. */
  index?(operand: Operand): OperandIndex;
}
