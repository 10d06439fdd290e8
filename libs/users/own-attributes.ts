import { isStorableText } from '#core';

/** Maximum number of custom attributes per user. */
export const OWN_ATTRIBUTES_MAX = 50;

const KEY_MAX = 128;
const TEXT_MAX = 1024;

/** Returns the fault of a user's custom attributes, or undefined. They are one level deep. */
export function ownAttributesDefect(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be a JSON object';
  const entries = Object.entries(value);
  if (entries.length > OWN_ATTRIBUTES_MAX) return `must have at most ${OWN_ATTRIBUTES_MAX} attributes`;
  for (const [key, attribute] of entries) {
    if (key === '' || key.length > KEY_MAX || !isStorableText(key)) {
      return `must have names of 1 to ${KEY_MAX} characters, without NUL or half of a surrogate pair`;
    }
    // Programs that read the JSON could treat a field with this name as the prototype.
    if (key === '__proto__') return 'must not have the name __proto__; choose another one';
    const defect = valueDefect(attribute);
    if (defect) return `${key}: ${defect}`;
  }
  return undefined;
}

function valueDefect(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number';
  if (typeof value !== 'string') return 'must be a text, a number, true, false or null';
  if (value.length > TEXT_MAX) return `must be at most ${TEXT_MAX} characters`;
  return isStorableText(value) ? undefined : 'must not contain NUL or half of a surrogate pair';
}
