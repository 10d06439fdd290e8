import type { JsonObject } from '#core';
import { named, type Attribute } from './attribute.js';
import { coerce } from './coerce.js';
import { findExtension, type ResourceSchema } from './resource-schema.js';
import { ScimError } from './scim-error.js';

/** Returns the body as a JSON object. @throws ScimError invalidSyntax for any other value */
export function objectOf(body: unknown, what = 'The body'): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ScimError('invalidSyntax', `${what} must be a JSON object.`);
  }
  return { ...body };
}

/** The value of a key, regardless of the key's case. */
export function valueOf(body: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(body).find(each => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : body[key];
}

/** @throws ScimError invalidSyntax if `schemas` lacks the expected URN. */
export function requireSchema(body: Record<string, unknown>, urn: string): void {
  const schemas = valueOf(body, 'schemas');
  const isNamed =
    Array.isArray(schemas) &&
    schemas.some(each => typeof each === 'string' && each.toLowerCase() === urn.toLowerCase());
  if (!isNamed) throw new ScimError('invalidSyntax', `schemas must contain "${urn}".`);
}

/**
 * Reads a resource from a body, normalized for storage. Drops read-only, unsupported and unknown attributes.
 * @throws ScimError
 */
export function readResource(schema: ResourceSchema, body: unknown): JsonObject {
  const given = objectOf(body);
  requireSchema(given, schema.core.urn);
  const kept = pick([...schema.core.attributes, ...schema.common], given, '');
  for (const [key, value] of Object.entries(given)) {
    const extension = findExtension(schema, key);
    if (!extension || value === null) continue;
    const part = pick(extension.attributes, objectOf(value, extension.urn), `${extension.urn}:`);
    if (Object.keys(part).length > 0) kept[extension.urn] = part;
  }
  requireAttributes(schema, kept);
  return kept;
}

/** @throws ScimError invalidValue if a required attribute is missing. */
export function requireAttributes(schema: ResourceSchema, resource: JsonObject): void {
  const missing = schema.core.attributes.find(({ name, required }) => required && resource[name] === undefined);
  if (missing) throw new ScimError('invalidValue', `${missing.name} is required.`);
}

function pick(attributes: readonly Attribute[], given: Record<string, unknown>, prefix: string): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = named(attributes, key);
    if (!attribute || attribute.mutability === 'readOnly') continue;
    const coerced = coerce(attribute, value, prefix + attribute.name);
    if (coerced !== undefined) kept[attribute.name] = coerced;
  }
  return kept;
}
