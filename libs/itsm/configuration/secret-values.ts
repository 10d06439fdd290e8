import { BadRequestError, type Json, type JsonObject } from '#core';

/** Returns the secrets whose values are given. Leaves out references. @throws BadRequestError for any other value */
export function valuesOf(secrets: JsonObject): JsonObject {
  const given = Object.entries(secrets).filter(([, value]) => !isReference(value));
  for (const [name, value] of given) {
    if (!isObject(value)) continue;
    throw BadRequestError.field(`secrets.${name}`, 'must be a text, { env: NAME } or { file: PATH }');
  }
  return Object.fromEntries(given);
}

function isReference(value: Json): boolean {
  if (!isObject(value)) return false;
  const [[name, target] = [], ...others] = Object.entries(value);
  return others.length === 0 && (name === 'env' || name === 'file') && typeof target === 'string';
}

/**
 * The reference that an export contains instead of a secret.
 * @param owner the name of the object that has the secret
 */
export function secretReference(owner: string, secret: string): JsonObject {
  return { env: variableOf(owner, secret) };
}

/** Suggested environment variable of a secret: `SECURITY_DESK_PASSWORD`. */
function variableOf(owner: string, secret: string): string {
  return `${owner}_${secret}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .replace(/^\d/, '_$&');
}

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
