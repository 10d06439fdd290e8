import { isStorableText, type FieldError } from '#core';
import { attributeNamed, KNOWN_ATTRIBUTES, OWN_ATTRIBUTE_KEY_MAX, OWN_ATTRIBUTE_PREFIX } from './attributes.js';
import type { OperandFault } from './condition-operator.port.js';
import { BUILT_IN_REGISTRY, type OperatorRegistry } from './operator-registry.js';

/**
 * Conditions of a policy: `{ <attribute>: { <operator>: <operand> } }`. All of them must match. `{}` matches every
 * person.
 */
export type Conditions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Size limits of conditions. Strings are measured in UTF-16 units. */
export const CONDITION_LIMITS = { attributes: 50, arrayEntries: 10_000, stringLength: 1_024, errors: 50 } as const;

const NOT_STORABLE = 'must not contain NUL or half of a surrogate pair';
const OPERAND_DEPTH_MAX = 8;

/**
 * All errors in a policy's conditions, at most 50; empty if the conditions are valid. Each error contains its place
 * (`conditions.department.not_in[2]`) and what to write instead.
 */
export function validateConditions(
  input: unknown,
  operators: OperatorRegistry = BUILT_IN_REGISTRY,
  field = 'conditions',
): FieldError[] {
  if (!isRecord(input)) {
    return [
      { field, message: 'must be an object such as {"department": {"not_in": ["Finance"]}}; {} matches every person' },
    ];
  }
  const entries = Object.entries(input);
  if (entries.length > CONDITION_LIMITS.attributes) {
    return [{ field, message: `must name at most ${CONDITION_LIMITS.attributes} attributes` }];
  }
  return entries
    .flatMap(([name, tests]) => attributeFaults(name, tests, operators, `${field}.${shortened(name)}`))
    .slice(0, CONDITION_LIMITS.errors);
}

function attributeFaults(name: string, tests: unknown, operators: OperatorRegistry, field: string): FieldError[] {
  if (!attributeNamed(name)) return [{ field, message: unknownAttribute(name) }];
  if (!isStorableText(name)) return [{ field, message: NOT_STORABLE }];
  const known = () => operators.names.join(', ');
  if (!isRecord(tests)) {
    return [{ field, message: `must be an object of operators and operands; known operators: ${known()}` }];
  }
  const entries = Object.entries(tests);
  if (entries.length === 0) return [{ field, message: `must have at least one operator: ${known()}` }];
  return entries.flatMap(([operatorName, operand]) => {
    const place = `${field}.${shortened(operatorName)}`;
    const operator = operators.get(operatorName);
    if (!operator) {
      return [{ field: place, message: `unknown operator "${shortened(operatorName)}"; known operators: ${known()}` }];
    }
    const sizes = [...sizeFaults(operand, '', 0)];
    const faults = sizes.length > 0 ? sizes : asFaults(operator.validateOperand(operand));
    return faults.map(({ at = '', message }) => ({ field: place + at, message }));
  });
}

function unknownAttribute(name: string): string {
  const key = name.startsWith(OWN_ATTRIBUTE_PREFIX) ? name.slice(OWN_ATTRIBUTE_PREFIX.length) : undefined;
  if (key !== undefined)
    return `the key after "${OWN_ATTRIBUTE_PREFIX}" must have 1 to ${OWN_ATTRIBUTE_KEY_MAX} characters`;
  return `unknown attribute "${shortened(name)}"; known attributes: ${KNOWN_ATTRIBUTES.join(', ')}`;
}

/** Size limits that apply to the operands of all operators, including those of the host. */
function* sizeFaults(operand: unknown, at: string, depth: number): Generator<OperandFault> {
  if (typeof operand === 'string') {
    const max = CONDITION_LIMITS.stringLength;
    if (operand.length > max) yield { at, message: `must have at most ${max} characters` };
    else if (!isStorableText(operand)) yield { at, message: NOT_STORABLE };
  } else if (typeof operand === 'number') {
    if (!Number.isFinite(operand)) yield { at, message: 'must be a finite number' };
  } else if (typeof operand === 'object' && operand !== null) {
    const entries = Object.entries(operand);
    const max = CONDITION_LIMITS.arrayEntries;
    if (entries.length > max) yield { at, message: `must have at most ${max} entries` };
    else if (depth === OPERAND_DEPTH_MAX)
      yield { at, message: `must be nested at most ${OPERAND_DEPTH_MAX} levels deep` };
    else yield* nestedFaults(entries, Array.isArray(operand), at, depth);
  }
}

function* nestedFaults(
  entries: [string, unknown][],
  list: boolean,
  at: string,
  depth: number,
): Generator<OperandFault> {
  for (const [key, entry] of entries) {
    const place = at + (list ? `[${key}]` : `.${shortened(key)}`);
    if (!list) yield* sizeFaults(key, place, depth + 1);
    yield* sizeFaults(entry, place, depth + 1);
  }
}

function asFaults(answer: string | readonly OperandFault[] | undefined): readonly OperandFault[] {
  return typeof answer === 'string' ? [{ message: answer }] : (answer ?? []);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(name: string): string {
  const max = OWN_ATTRIBUTE_PREFIX.length + OWN_ATTRIBUTE_KEY_MAX;
  return name.length > max ? `${name.slice(0, max)}…` : name;
}
