type Json = Record<string, unknown>;

/**
 * Sets of fields of which one must be complete, such as an account or a client of OAuth: what a schema requires in `else`,
 * and what it asks for in `if` in place of that, with the fields that `dependentRequired` adds. Empty where there is no
 * such choice.
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

/** What the sets ask for, as a sentence. */
export function sentenceOf(sets: readonly (readonly string[])[], titleOf: (name: string) => string): string {
  return `Enter ${sets.map(set => set.map(titleOf).join(' and ')).join(', or ')}.`;
}

/** Which empty field a form must complain about: the first one if no set was begun, and the rest of each that was. */
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
