import { attribute, plural, type Attribute } from '../protocol/attribute.js';
import type { ResourceSchema } from '../protocol/resource-schema.js';
import { ENTERPRISE_URN, USER_URN } from '../protocol/urns.js';
import { COMMON_ATTRIBUTES } from './common-attributes.js';

const NAME_PARTS: readonly Attribute[] = [
  attribute('formatted', 'Full name, formatted for display.'),
  attribute('familyName', 'Family name.'),
  attribute('givenName', 'Given name.'),
  attribute('middleName', 'Middle names.'),
  attribute('honorificPrefix', 'Title before the name.'),
  attribute('honorificSuffix', 'Suffix after the name.'),
];

const ADDRESS_PARTS: Attribute[] = [
  attribute('formatted', 'Full address, formatted for display.'),
  attribute('streetAddress', 'Street and number.'),
  attribute('locality', 'Town.'),
  attribute('region', 'State or region.'),
  attribute('postalCode', 'Postal code.'),
  attribute('country', 'Country.'),
];

const GROUP_PARTS: readonly Attribute[] = [
  attribute('value', 'Id of the group.', { mutability: 'readOnly', caseExact: true }),
  attribute('$ref', 'Address of the group.', { mutability: 'readOnly', type: 'reference', referenceTypes: ['Group'] }),
  attribute('display', 'Name of the group.', { mutability: 'readOnly' }),
  attribute('type', 'Always `direct`.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
];

const MANAGER_PARTS: readonly Attribute[] = [
  attribute('value', 'Id of the manager.', { caseExact: true }),
  attribute('$ref', 'Address of the manager.', { type: 'reference', referenceTypes: ['User'] }),
  attribute('displayName', 'Name of the manager.'),
];

/** A user (RFC 7643, sections 4.1 and 4.3). */
export const USER_SCHEMA: ResourceSchema = {
  core: {
    urn: USER_URN,
    name: 'User',
    description: 'A person of the organization.',
    attributes: [
      attribute('userName', 'Name to sign in with; unique, compared without case.', {
        required: true,
        uniqueness: 'server',
      }),
      attribute('name', 'The name, in parts.', { type: 'complex', subAttributes: NAME_PARTS }),
      attribute('displayName', 'Display name.'),
      attribute('nickName', 'Casual name.'),
      attribute('profileUrl', 'Address of a page about the person.', {
        type: 'reference',
        referenceTypes: ['external'],
      }),
      attribute('title', 'Job title.'),
      attribute('userType', 'Relation to the organization.'),
      attribute('preferredLanguage', 'Preferred language.'),
      attribute('locale', 'Locale for dates, numbers and currencies.'),
      attribute('timezone', 'Time zone.'),
      attribute('active', 'Whether the person may use LLMs; false revokes access.', { type: 'boolean' }),
      plural('emails', 'E-mail addresses; the primary one becomes the user’s address.', ['work', 'home', 'other']),
      plural('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
      plural('addresses', 'Postal addresses.', ['work', 'home', 'other'], ADDRESS_PARTS),
      attribute('groups', 'Groups of the person. To change them, change the group.', {
        type: 'complex',
        multiValued: true,
        mutability: 'readOnly',
        subAttributes: GROUP_PARTS,
      }),
    ],
  },
  extensions: [
    {
      urn: ENTERPRISE_URN,
      name: 'EnterpriseUser',
      description: 'The person’s place in the organization.',
      attributes: [
        attribute('employeeNumber', 'Number of the employee.'),
        attribute('costCenter', 'Cost center.'),
        attribute('organization', 'Organization.'),
        attribute('division', 'Division.'),
        attribute('department', 'Department for policies and budgets. It overrides departments from groups.'),
        attribute('manager', 'Manager.', { type: 'complex', subAttributes: MANAGER_PARTS }),
      ],
    },
  ],
  common: COMMON_ATTRIBUTES,
  // These attributes are not stored, because decisions do not need them. The password above all must not be stored.
  notKept: [
    attribute('password', 'Never stored.'),
    plural('ims', 'Addresses for instant messages.', []),
    plural('photos', 'Pictures.', []),
    plural('entitlements', 'Entitlements of the person.', []),
    plural('roles', 'Roles of the person.', []),
    plural('x509Certificates', 'Certificates.', []),
  ],
};
