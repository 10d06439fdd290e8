/** Conditions of a policy in the form of the API: `{ <attribute>: { <operator>: <operand> } }`. */
export type Conditions = Record<string, Record<string, unknown>>;

/** One condition in the builder. */
export interface Row {
  /** Key that identifies the row while it is edited. */
  key: number;
  attribute: string;
  operator: string;
  operand: unknown;
}

/** The built-in attributes that conditions can name. */
export const ATTRIBUTES = [
  ['department', 'department'],
  ['role', 'role'],
  ['status', 'status'],
  ['email', 'e-mail'],
  ['email_domain', 'email domain'],
  ['name', 'name'],
  ['user_id', 'user ID'],
  ['provider', 'provider'],
  ['device_status', 'device status'],
] as const;

/** Prefix of the custom attributes that the organization has defined. */
export const OWN = 'attributes.';

/** The label of each operator, and the type of its operand. */
export const OPERATORS = {
  in: { name: 'is one of', takes: 'list' },
  not_in: { name: 'is not one of', takes: 'list' },
  eq: { name: 'is', takes: 'value' },
  not_eq: { name: 'is not', takes: 'value' },
  starts_with: { name: 'starts with', takes: 'text' },
  ends_with: { name: 'ends with', takes: 'text' },
  exists: { name: 'exists', takes: 'flag' },
  gt: { name: 'is greater than', takes: 'number' },
  gte: { name: 'is at least', takes: 'number' },
  lt: { name: 'is less than', takes: 'number' },
  lte: { name: 'is at most', takes: 'number' },
} as const;

/**
 * Type of the field for an operand. `json` is for operators that the host added, and for values that fit no other
 * field.
 */
export type Takes = 'list' | 'value' | 'text' | 'flag' | 'number' | 'json';

/** The type of operand that an operator takes. */
export function takesOf(operator: string): Takes {
  return Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator as keyof typeof OPERATORS].takes : 'json';
}

/** Initial operands of a new condition, by the type of the operand. */
export const BLANK: Record<Takes, unknown> = { list: [], value: '', text: '', flag: true, number: 0, json: null };

let keys = 0;

/** Returns a new, unique key for a row. */
export function newKey(): number {
  keys += 1;
  return keys;
}

/** Converts conditions to rows. */
export function rowsOf(conditions: Conditions): Row[] {
  return Object.entries(conditions).flatMap(([attribute, tests]) =>
    Object.entries(tests).map(([operator, operand]) => ({ key: newKey(), attribute, operator, operand })),
  );
}

/** Converts rows to conditions. Of two rows with the same attribute and operator, only one is kept: see `twice`. */
export function conditionsOf(rows: readonly Row[]): Conditions {
  const conditions = new Map<string, [string, unknown][]>();
  for (const { attribute, operator, operand } of rows)
    conditions.set(attribute, [...(conditions.get(attribute) ?? []), [operator, operand]]);
  // fromEntries also works for an attribute with the name `__proto__`.
  return Object.fromEntries([...conditions].map(([attribute, tests]) => [attribute, Object.fromEntries(tests)]));
}

/** Keys of rows that repeat the attribute and operator of an earlier row. */
export function twice(rows: readonly Row[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const again = new Set<number>();
  for (const { key, attribute, operator } of rows) {
    const name = JSON.stringify([attribute, operator]);
    if (seen.has(name)) again.add(key);
    seen.add(name);
  }
  return again;
}

/** The JSON text of conditions. */
export function textOf(conditions: Conditions): string {
  return JSON.stringify(conditions, null, 2);
}

/** Parses JSON text to conditions, or returns an error message. */
export function parsed(text: string): { conditions: Conditions } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch (error) {
    return { fault: `Invalid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
  if (!isRecord(value)) return { fault: 'Enter an object such as {"department": {"in": ["Finance"]}}.' };
  for (const [attribute, tests] of Object.entries(value)) {
    if (!isRecord(tests)) return { fault: `“${attribute}” needs an object of operators, such as {"in": ["Finance"]}.` };
    if (Object.keys(tests).length === 0) return { fault: `“${attribute}” needs an operator.` };
  }
  // The loop above has checked the type.
  return { conditions: value as Conditions };
}

/** Whether two conditions are equal, including their order. */
export function isSame(one: Conditions, other: Conditions): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
