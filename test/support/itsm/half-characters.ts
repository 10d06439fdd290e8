import type { Json } from '#core';

/**
 * Where a JSON value has half of a surrogate pair, in a text or in a name: `body.fields.summary`. Half pairs leave this
 * system as `\ud83d` in plain ASCII, so that bytes and JSON are in order: only the texts show them, once they are parsed.
 */
export function halfCharacters(value: Json, at = 'body'): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [at];
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value).some(name => !name.isWellFormed()) ? [`${at}: a name`] : [];
  return names.concat(
    Object.entries(value).flatMap(([name, entry]) => halfCharacters(entry, `${at}.${name.toWellFormed()}`)),
  );
}
