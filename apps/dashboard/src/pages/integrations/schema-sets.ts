type Json = Record<string, unknown>;

/**
 * Sets of fields, of which one must be complete, such as an account or an OAuth client. They are read from `else` of
 * the schema, and from `if` with the fields that `dependentRequired` adds. Empty if the schema offers no such choice.
 */
export function setsOf(schema: Json): string[][] {
  const { if: asked, else: otherwise, dependentRequired } = schema;
  const first = namesIn(recordOf(otherwise)['required']);
  const alternatives = recordOf(asked)['anyOf'];
  const starts = (Array.isArray(alternatives) ? alternatives : []).flatMap(each => namesIn(recordOf(each)['required']));
  if (first.length === 0 || starts.length === 0) return [];
  const added = starts.flatMap(name => namesIn(recordOf(dependentRequired)[name]));
  return [first, [...new Set([...starts, ...added])]];
}

/** Describes the sets in a sentence. */
export function sentenceOf(sets: readonly (readonly string[])[], titleOf: (name: string) => string): string {
  return `Enter ${sets.map(set => set.map(titleOf).join(' and ')).join(', or ')}.`;
}

/**
 * Whether the form must report that a field is empty. If the person has not begun any set, the fields of the first set
 * are reported. Otherwise, the missing fields of each set that was begun are reported.
 */
export function isWanted(
  name: string,
  sets: readonly (readonly string[])[],
  isFilled: (name: string) => boolean,
): boolean {
  const begun = sets.filter(set => set.some(isFilled));
  if (begun.length === 0) return name === sets[0]?.[0];
  return begun.some(set => set.includes(name));
}

function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(name => typeof name === 'string') : [];
}
