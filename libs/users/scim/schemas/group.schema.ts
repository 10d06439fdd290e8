import { attribute } from '../protocol/attribute.js';
import type { ResourceSchema } from '../protocol/resource-schema.js';
import { GROUP_URN } from '../protocol/urns.js';
import { COMMON_ATTRIBUTES } from './common-attributes.js';

/** A group (RFC 7643, section 4.2). Its name is the department of its members. */
export const GROUP_SCHEMA: ResourceSchema = {
  core: {
    urn: GROUP_URN,
    name: 'Group',
    description: 'A group of users. Its name is the department of its members.',
    attributes: [
      attribute('displayName', 'Name of the group; unique, compared without case.', {
        required: true,
        uniqueness: 'server',
      }),
      attribute('members', 'Users of the group.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of the user.', { mutability: 'immutable', caseExact: true }),
          attribute('$ref', 'Address of the user.', {
            mutability: 'immutable',
            type: 'reference',
            referenceTypes: ['User'],
          }),
          attribute('display', 'Name of the user.', { mutability: 'readOnly' }),
          attribute('type', 'Always `User`.', { mutability: 'immutable', canonicalValues: ['User'] }),
        ],
      }),
    ],
  },
  extensions: [],
  common: COMMON_ATTRIBUTES,
  notKept: [],
};
