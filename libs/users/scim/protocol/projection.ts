import type { Json, JsonObject } from '#core';
import { findAttribute, findExtension, pathOf, type AttributeRef, type ResourceSchema } from './resource-schema.js';

/** The attributes of a response (RFC 7644, section 3.9). */
export interface Projection {
  /** The response shows only these attributes. */
  readonly only?: readonly AttributeRef[];
  /** The response shows all attributes except these. */
  readonly without?: readonly AttributeRef[];
}

const ALWAYS = ['schemas', 'id'];

/** Reads `attributes` and `excludedAttributes`; `attributes` takes precedence. Ignores unknown names. */
export function readProjection(schema: ResourceSchema, attributes: unknown, excluded: unknown): Projection {
  const only = namesOf(attributes);
  if (only.length > 0) return { only: refsOf(schema, only) };
  return { without: refsOf(schema, namesOf(excluded)) };
}

/** Whether a response shows a core attribute. If it does not, the data of the attribute need not be loaded. */
export function shows({ only, without }: Projection, name: string): boolean {
  if (only) return only.some(ref => ref.extension === undefined && ref.attribute.name === name);
  return !without?.some(ref => ref.extension === undefined && ref.attribute.name === name && !ref.sub);
}

/** Returns the resource with the requested attributes only. */
export function project({ only, without = [] }: Projection, resource: JsonObject): JsonObject {
  if (!only) return without.reduce((rest, ref) => removed(rest, ref), resource);
  const shown: JsonObject = {};
  for (const name of ALWAYS) if (resource[name] !== undefined) shown[name] = resource[name];
  for (const ref of only) add(shown, resource, ref);
  return shown;
}

function namesOf(list: unknown): string[] {
  const parts: unknown[] = typeof list === 'string' ? list.split(',') : Array.isArray(list) ? list : [];
  return parts.flatMap(part => (typeof part === 'string' && part.trim() !== '' ? [part.trim()] : [])).slice(0, 100);
}

function refsOf(schema: ResourceSchema, names: readonly string[]): AttributeRef[] {
  return names.flatMap(name => {
    const extension = findExtension(schema, name);
    if (extension) return extension.attributes.map(attribute => ({ extension: extension.urn, attribute }));
    const ref = findAttribute(schema, name);
    return ref === undefined || ref.absent ? [] : [ref];
  });
}

function add(shown: JsonObject, resource: JsonObject, { extension, attribute, sub }: AttributeRef): void {
  const from = extension === undefined ? resource : objectIn(resource, extension);
  const value = from[attribute.name];
  if (value === undefined) return;
  const into = extension === undefined ? shown : objectIn(shown, extension);
  const former = into[attribute.name];
  into[attribute.name] = sub ? mergePart(former, value, sub.name) : value;
  if (extension !== undefined) shown[extension] = into;
}

/** Adds a sub-attribute to a value, or to each value of a list. */
function mergePart(former: Json | undefined, value: Json, name: string): Json {
  if (Array.isArray(value)) {
    const formers = Array.isArray(former) ? former : [];
    return value.map((each, at) => mergePart(formers[at], each, name));
  }
  const part = objectOf(value)[name];
  return { ...objectOf(former), ...(part === undefined ? {} : { [name]: part }) };
}

function removed(resource: JsonObject, ref: AttributeRef): JsonObject {
  const { extension, attribute, sub } = ref;
  if (ALWAYS.includes(pathOf(ref))) return resource;
  const holder = extension === undefined ? resource : objectIn(resource, extension);
  const value = holder[attribute.name];
  if (value === undefined) return resource;
  const { [attribute.name]: _removed, ...rest } = holder;
  const next = sub ? { ...rest, [attribute.name]: withoutPart(value, sub.name) } : rest;
  return extension === undefined ? next : { ...resource, [extension]: next };
}

function withoutPart(value: Json, name: string): Json {
  if (Array.isArray(value)) return value.map(each => withoutPart(each, name));
  const { [name]: _removed, ...rest } = objectOf(value);
  return rest;
}

function objectIn(resource: JsonObject, key: string): JsonObject {
  return { ...objectOf(resource[key]) };
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
