import type { JsonObject } from '#core';
import { GROUP_URN } from '../protocol/urns.js';
import type { ScimGroup } from './scim-group.entity.js';

/** A member in the representation of a group. */
export interface MemberOfGroup {
  id: string;
  name: string;
}

/** A group with the data that its representation shows. `members` is missing if the members were not requested. */
export interface FoundGroup {
  group: ScimGroup;
  members?: readonly MemberOfGroup[];
}

/** The version of a group as an entity tag. It changes with every change of the group. */
export function versionOfGroup({ version }: ScimGroup): string {
  return `W/"${version}"`;
}

/** A group as a SCIM resource; `base` is the URL of the SCIM service. */
export function presentScimGroup({ group, members = [] }: FoundGroup, base: string): JsonObject {
  return {
    schemas: [GROUP_URN],
    id: group.id,
    ...(group.externalId === null ? {} : { externalId: group.externalId }),
    displayName: group.displayName,
    ...(members.length === 0
      ? {}
      : {
          members: members.map(({ id, name }) => ({
            value: id,
            $ref: `${base}/Users/${id}`,
            display: name,
            type: 'User',
          })),
        }),
    meta: {
      resourceType: 'Group',
      created: group.createdAt.toISOString(),
      lastModified: group.updatedAt.toISOString(),
      location: `${base}/Groups/${group.id}`,
      version: versionOfGroup(group),
    },
  };
}
