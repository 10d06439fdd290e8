import type { JsonObject } from '#core';
import type { User } from '../../user.entity.js';
import { ENTERPRISE_URN, USER_URN } from '../protocol/urns.js';
import { keptResource, ownEmails, type KnownUser } from './user-mapping.js';

/** A group in the representation of a member. */
export interface GroupOfUser {
  id: string;
  displayName: string;
}

/** A user with everything that its SCIM representation shows. */
export interface FoundUser extends KnownUser {
  readonly groups: readonly GroupOfUser[];
}

/** The version of a user as an entity tag. It changes with every change of the user. */
export function versionOf({ changeVersion }: User): string {
  return `W/"${changeVersion}"`;
}

/** A user as a SCIM resource; `base` is the URL of the SCIM service. */
export function presentScimUser({ groups, ...known }: FoundUser, base: string): JsonObject {
  const { user } = known;
  const kept = keptResource(known);
  return {
    schemas: kept[ENTERPRISE_URN] === undefined ? [USER_URN] : [USER_URN, ENTERPRISE_URN],
    id: user.id,
    ...kept,
    displayName: user.name,
    // False for every status without access: identity providers understand `true` as access.
    active: user.status === 'active',
    emails: kept['emails'] ?? ownEmails(user),
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map(({ id, displayName }) => ({
            value: id,
            $ref: `${base}/Groups/${id}`,
            display: displayName,
            type: 'direct',
          })),
        }),
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${base}/Users/${user.id}`,
      version: versionOf(user),
    },
  };
}
