import type { JsonObject } from '#core';
import { objectOf, readResource } from '../protocol/read-resource.js';
import { ScimError } from '../protocol/scim-error.js';
import { GROUP_SCHEMA } from '../schemas/group.schema.js';
import { memberIds } from './member-steps.js';

/** The state of a group that the client requests. */
export interface RequestedGroup {
  displayName: string;
  externalId: string | null;
  userIds: readonly string[];
}

const NAME_MAX = 255;

/** Reads a group from a body. @throws ScimError */
export function readGroup(body: unknown): RequestedGroup {
  // Members are read separately, because a group may have more members than other lists may have values.
  const entries = Object.entries(objectOf(body));
  const members = entries.find(([key]) => key.toLowerCase() === 'members')?.[1];
  const others = Object.fromEntries(entries.filter(([key]) => key.toLowerCase() !== 'members'));
  return { ...namesIn(readResource(GROUP_SCHEMA, others)), userIds: memberIds(members) };
}

/** The names of a group in a resource that readResource() has returned. @throws ScimError invalidValue */
export function namesIn({ displayName, externalId }: JsonObject): { displayName: string; externalId: string | null } {
  if (typeof displayName !== 'string') throw new ScimError('invalidValue', 'displayName is required.');
  if (displayName.length > NAME_MAX) {
    throw new ScimError('invalidValue', `displayName must be at most ${NAME_MAX} characters.`);
  }
  return { displayName, externalId: typeof externalId === 'string' ? externalId : null };
}
