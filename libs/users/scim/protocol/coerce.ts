import { isStorableText, type Json, type JsonObject } from '#core';
import { named, type Attribute } from './attribute.js';
import { flagOf } from './filter.js';
import { ScimError } from './scim-error.js';

/** Maximum number of values of a multi-valued attribute. */
export const VALUES_MAX = 50;

const TEXT_MAX = 1_024;
/** Maximum length of identifiers. Longer ones would not fit into an index. */
const IDENTIFIER_MAX = 255;

/**
 * Normalizes a value for storage. Uses canonical names, converts strings to booleans, and drops null and blank strings.
 * Undefined means that the attribute has no value.
 * @throws ScimError invalidValue naming the attribute.
 */
export function coerce(attribute: Attribute, value: unknown, path = attribute.name): Json | undefined {
  if (value === null || value === undefined) return undefined;
  return attribute.multiValued ? coerceList(attribute, value, path) : coerceOne(attribute, value, path);
}

/** Normalizes a single value of an attribute. For a multi-valued attribute, that is one value of the list. */
export function coerceOne(attribute: Attribute, value: unknown, path = attribute.name): Json | undefined {
  if (value === null || value === undefined) return undefined;
  switch (attribute.type) {
    case 'complex':
      return coerceComplex(attribute, value, path);
    case 'boolean': {
      const flag = flagOf(value);
      if (flag === undefined) throw wrong(path, 'must be true or false');
      return flag;
    }
    case 'string':
    case 'reference':
    case 'dateTime':
      return coerceText(value, path, attribute.name === 'externalId' ? IDENTIFIER_MAX : TEXT_MAX);
  }
}

/** Accepts a list of values. Also accepts a single value, because some clients send it without brackets. */
export function coerceList(attribute: Attribute, value: unknown, path = attribute.name): JsonObject[] | undefined {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > VALUES_MAX) throw wrong(path, `must have at most ${VALUES_MAX} values`);
  const values = given.map((each, at) => coerceComplex(attribute, each, `${path}[${at}]`)).filter(isPresent);
  if (values.filter(({ primary }) => primary === true).length > 1) {
    throw wrong(path, 'must have at most one value that is primary');
  }
  return values.length === 0 ? undefined : values;
}

function coerceComplex(attribute: Attribute, value: unknown, path: string): JsonObject | undefined {
  // Entra ID sends the manager as a list, or only the manager's id.
  const given: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const subAttributes = attribute.subAttributes ?? [];
  if (typeof given === 'string') {
    const sub = named(subAttributes, 'value');
    const text = sub && coerceText(given, path);
    if (sub === undefined) throw wrong(path, 'must be an object');
    return text === undefined ? undefined : { [sub.name]: text };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong(path, 'must be an object');
  const kept: JsonObject = {};
  for (const [key, part] of Object.entries(given)) {
    const sub = named(subAttributes, key);
    if (!sub || sub.mutability === 'readOnly') continue;
    const coerced = coerceOne(sub, part, `${path}.${sub.name}`);
    if (coerced !== undefined) kept[sub.name] = coerced;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function coerceText(value: unknown, path: string, max = TEXT_MAX): string | undefined {
  if (typeof value !== 'string') throw wrong(path, 'must be a text');
  const text = value.trim();
  if (text.length > max) throw wrong(path, `must be at most ${max} characters`);
  if (!isStorableText(text)) throw wrong(path, 'must not contain NUL or half of a surrogate pair');
  return text === '' ? undefined : text;
}

function wrong(path: string, message: string): ScimError {
  return new ScimError('invalidValue', `${path} ${message}.`);
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}
