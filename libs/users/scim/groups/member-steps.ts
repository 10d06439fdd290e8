import { isUuid } from '#core';
import type { Filter } from '../protocol/filter.js';
import type { PatchStep } from '../protocol/patch-request.js';
import { objectOf, valueOf } from '../protocol/read-resource.js';
import { ScimError } from '../protocol/scim-error.js';

/** A change of a group's members. */
export type MemberStep =
  { readonly kind: 'add' | 'remove' | 'set'; readonly userIds: readonly string[] } | { readonly kind: 'clear' };

/**
 * The change that a PATCH operation makes to the members.
 * @throws ScimError
 */
export function memberStepOf({ op, target, value, path }: PatchStep): MemberStep {
  if (target.ref.sub) throw new ScimError('mutability', `${path}: members are added and removed, never changed.`);
  if (target.chosen) {
    if (op !== 'remove')
      throw new ScimError('invalidPath', `${path}: brackets choose members to remove; add by value.`);
    return { kind: 'remove', userIds: chosenIds(target.chosen, path) };
  }
  if (op === 'remove' && (value === undefined || value === null)) return { kind: 'clear' };
  const userIds = memberIds(value);
  return { kind: op === 'replace' ? 'set' : op, userIds };
}

/** The ids of the users in a list of members. @throws ScimError invalidValue */
export function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const members: unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(members.map((member, at) => idOf(member, `members[${at}]`)))];
}

function idOf(member: unknown, place: string): string {
  const id = typeof member === 'string' ? member : valueOf(objectOf(member, place), 'value');
  const type = typeof member === 'string' ? undefined : valueOf(objectOf(member, place), 'type');
  if (typeof type === 'string' && type.toLowerCase() === 'group') {
    throw new ScimError('invalidValue', `${place}: groups within groups are not kept; send their users.`);
  }
  // An id of a user is always a UUID.
  if (!isUuid(id)) throw new ScimError('invalidValue', `${place}.value must be the id of a user.`);
  return id.toLowerCase();
}

/** The ids in a filter of the form `value eq "…"`, joined by `or`. Clients send filters of this form. */
function chosenIds(filter: Filter, path: string): string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(part => chosenIds(part, path));
  if (filter.kind === 'compare' && filter.how === 'eq' && filter.ref.attribute.name === 'value') {
    return isUuid(filter.operand) ? [filter.operand.toLowerCase()] : [];
  }
  throw new ScimError('invalidFilter', `${path}: members are chosen by value eq "…", joined by or.`);
}
