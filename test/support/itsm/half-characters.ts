import type { Json } from '#core';

/**
 * The paths of a JSON value with half of a surrogate pair, in a text or in a name, such as `body.fields.summary`. Half
 * pairs are sent as `\ud83d` in plain ASCII, so bytes and JSON are valid. Only the parsed texts show them.
 */
export function halfCharacters(value: Json, at = 'body'): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [at];
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value).some(name => !name.isWellFormed()) ? [`${at}: a name`] : [];
  return names.concat(
    Object.entries(value).flatMap(([name, entry]) => halfCharacters(entry, `${at}.${name.toWellFormed()}`)),
  );
}
