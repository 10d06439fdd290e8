import { attribute, type Attribute } from '../protocol/attribute.js';

const READ_ONLY = { mutability: 'readOnly' } as const;

/** Attributes of every resource (RFC 7643, section 3.1). */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  attribute('schemas', 'URNs of the schemas of the resource.', {
    ...READ_ONLY,
    type: 'reference',
    multiValued: true,
    returned: 'always',
    referenceTypes: ['uri'],
  }),
  attribute('id', 'Id that this server assigned.', {
    ...READ_ONLY,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'Id of the resource at the identity provider.', { caseExact: true }),
  attribute('meta', 'Creation time, change time, URL and version of the resource.', {
    ...READ_ONLY,
    type: 'complex',
    subAttributes: [
      attribute('resourceType', 'Name of the resource type.', { ...READ_ONLY, caseExact: true }),
      attribute('created', 'Creation time.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('lastModified', 'Time of the last change.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('location', 'URL of the resource.', { ...READ_ONLY, type: 'reference', referenceTypes: ['uri'] }),
      attribute('version', 'Version of the resource, as an entity tag.', { ...READ_ONLY, caseExact: true }),
    ],
  }),
];
