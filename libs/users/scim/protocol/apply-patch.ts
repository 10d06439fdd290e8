import { type Json, type JsonObject } from '#core';
import type { Attribute } from './attribute.js';
import { coerce, coerceList, coerceOne, VALUES_MAX } from './coerce.js';
import type { Filter } from './filter.js';
import { matchesValue } from './match-value.js';
import type { PatchStep } from './patch-request.js';
import type { AttributeRef } from './resource-schema.js';
import { ScimError } from './scim-error.js';

/** Returns the patched resource. Does not change the argument. @throws ScimError invalidValue, noTarget, mutability */
export function applyPatch(resource: JsonObject, steps: readonly PatchStep[]): JsonObject {
  // structuredClone() can copy the resource, because stored data is JSON.
  const patched = structuredClone(resource);
  for (const step of steps) applyStep(patched, step);
  return patched;
}

function applyStep(resource: JsonObject, step: PatchStep): void {
  const { ref, chosen } = step.target;
  const holder = holderOf(resource, ref);
  const { name, multiValued } = ref.attribute;
  if (multiValued) assign(holder, name, changeList(listOf(holder[name]), step, chosen));
  else if (ref.sub) changePart(holder, ref.attribute, ref.sub, step);
  else changeWhole(holder, ref.attribute, step);
  if (ref.extension !== undefined) assign(resource, ref.extension, holder);
}

/** The object that contains the attribute: the resource itself, or its extension. */
function holderOf(resource: JsonObject, { extension }: AttributeRef): JsonObject {
  return extension === undefined ? resource : { ...partsOf(resource[extension]) };
}

function changeWhole(holder: JsonObject, attribute: Attribute, { op, value, path }: PatchStep): void {
  const given = op === 'remove' ? undefined : coerce(attribute, value, path);
  if (given === undefined && attribute.required) {
    throw new ScimError('mutability', `${path} is required and cannot be removed; replace it.`);
  }
  // For a complex attribute, only the supplied sub-attributes change (RFC 7644, section 3.5.2.3).
  const isMerged = attribute.type === 'complex' && given !== undefined;
  assign(holder, attribute.name, isMerged ? { ...partsOf(holder[attribute.name]), ...partsOf(given) } : given);
}

function changePart(holder: JsonObject, attribute: Attribute, sub: Attribute, { op, value, path }: PatchStep): void {
  const parts = { ...partsOf(holder[attribute.name]) };
  assign(parts, sub.name, op === 'remove' ? undefined : coerceOne(sub, value, path));
  assign(holder, attribute.name, parts);
}

function changeList(values: JsonObject[], step: PatchStep, chosen: Filter | undefined): JsonObject[] {
  const { attribute, sub } = step.target.ref;
  if (step.op === 'remove') return withoutChosen(values, step, chosen);
  if (sub || chosen) return settled(changeChosen(values, step, chosen, sub), step);
  const given = coerceList(attribute, step.value, step.path) ?? [];
  if (step.op === 'replace') return given;
  const added = given.filter(value => !values.some(each => isSame(each, value)));
  return settled([...values, ...added], step, given);
}

function withoutChosen(
  values: JsonObject[],
  { target, value, path }: PatchStep,
  chosen: Filter | undefined,
): JsonObject[] {
  const { attribute, sub } = target.ref;
  if (sub) {
    return values.map(each => {
      if (chosen && !matchesValue(chosen, each)) return each;
      const { [sub.name]: _removed, ...rest } = each;
      return rest;
    });
  }
  if (chosen) return values.filter(each => !matchesValue(chosen, each));
  if (value === undefined || value === null) return [];
  // Some clients send `remove` with the values to remove. RFC 7644 does not define that.
  const gone = coerceList(attribute, value, path) ?? [];
  return values.filter(each => !gone.some(({ value: key }) => key !== undefined && key === each['value']));
}

/**
 * Changes the selected values of a list, or all values if there is no filter. If the filter selects none, adds the
 * value that the filter describes.
 */
function changeChosen(
  values: JsonObject[],
  { op, target, value, path }: PatchStep,
  chosen: Filter | undefined,
  sub: Attribute | undefined,
): JsonObject[] {
  const { attribute } = target.ref;
  const given = sub ? coerceOne(sub, value, path) : coerceOne(attribute, value, path);
  const changed = (each: JsonObject): JsonObject => {
    // `replace` replaces a selected value as a whole. `add` merges the sub-attributes into it.
    if (!sub) return op === 'replace' ? partsOf(given) : { ...each, ...partsOf(given) };
    const next = { ...each };
    assign(next, sub.name, given);
    return next;
  };
  const isChosen = (each: JsonObject): boolean => !chosen || matchesValue(chosen, each);
  if (values.some(isChosen)) return values.map(each => (isChosen(each) ? changed(each) : each));
  const described = chosen ? describedBy(chosen) : {};
  if (!described) throw new ScimError('noTarget', `${path} matches no value.`);
  return given === undefined ? values : [...values, changed(described)];
}

/** The value that a filter of equalities describes, such as the type of the new value for `emails[type eq "work"]`. */
function describedBy(filter: Filter): JsonObject | undefined {
  if (filter.kind === 'compare' && filter.how === 'eq' && filter.operand !== null) {
    return { [filter.ref.attribute.name]: filter.operand };
  }
  if (filter.kind !== 'and') return undefined;
  const parts = filter.parts.map(describedBy);
  return parts.every(part => part !== undefined) ? Object.assign({}, ...parts) : undefined;
}

/**
 * Normalizes a changed list: removes empty values, checks the length, and keeps `primary` only on the last primary
 * value.
 */
function settled(
  values: JsonObject[],
  { target, path, value }: PatchStep,
  added: readonly JsonObject[] = [],
): JsonObject[] {
  const kept = values.filter(each => Object.keys(each).length > 0);
  if (kept.length > VALUES_MAX) throw new ScimError('invalidValue', `${path} must have at most ${VALUES_MAX} values.`);
  const primaries = kept.filter(each => each['primary'] === true);
  if (primaries.length < 2) return kept;
  const newest = added.find(each => each['primary'] === true) ?? primaries.at(-1);
  if (target.ref.sub?.name === 'primary' && value === true && !target.chosen) {
    throw new ScimError('invalidValue', `${path} would make every value primary; select one in brackets.`);
  }
  return kept.map(each => {
    if (each === newest || each['primary'] !== true) return each;
    const { primary: _former, ...rest } = each;
    return rest;
  });
}

/**
 * Whether two values of a list are equal. Comparing their sub-attributes by identity is enough, because these are
 * strings and booleans.
 */
function isSame(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every(name => one[name] === other[name]);
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(partsOf) : [];
}

function partsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function assign(holder: JsonObject, name: string, value: Json | undefined): void {
  const isEmpty =
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  if (isEmpty) delete holder[name];
  else holder[name] = value;
}
