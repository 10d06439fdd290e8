import { attribute, type Attribute } from '../protocol/attribute.js';

const READ_ONLY = { mutability: 'readOnly' } as const;

/** What every resource has (RFC 7643, section 3.1). */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  attribute('schemas', 'The schemas of which the resource has attributes.', {
    ...READ_ONLY,
    type: 'reference',
    multiValued: true,
    returned: 'always',
    referenceTypes: ['uri'],
  }),
  attribute('id', 'Identifier of the resource, given by this server.', {
    ...READ_ONLY,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'Identifier of the resource at the identity provider.', { caseExact: true }),
  attribute('meta', 'When the resource was made and changed, where it is, and its version.', {
    ...READ_ONLY,
    type: 'complex',
    subAttributes: [
      attribute('resourceType', 'Name of the resource type.', { ...READ_ONLY, caseExact: true }),
      attribute('created', 'When it was made.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('lastModified', 'When it was last changed.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('location', 'Its address.', { ...READ_ONLY, type: 'reference', referenceTypes: ['uri'] }),
      attribute('version', 'Its version, as an entity tag.', { ...READ_ONLY, caseExact: true }),
    ],
  }),
];
