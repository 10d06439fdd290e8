import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { ENTERPRISE_URN, ERROR_URN, GROUP_URN, LIST_URN, PATCH_URN, SEARCH_URN, USER_URN } from '../protocol/urns.js';

// These bodies are only for the API reference. The SCIM code parses bodies according to the schemas of the protocol.

const ID = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const GROUP_ID = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const NAME = { givenName: 'Barbara', familyName: 'Example' };
const EMAILS = [{ value: 'barbara@example.com', type: 'work', primary: true }];
const META = (kind: string, id: string) => ({
  resourceType: kind.slice(0, -1),
  created: '2026-11-02T08:00:00.000Z',
  lastModified: '2026-11-20T13:00:00.000Z',
  location: `https://governance.example.com/scim/v2/${kind}/${id}`,
  version: 'W/"42"',
});

/** Body of a user. */
@ApiSchema({ name: 'GovernanceScimUserDto' })
export class ScimUserDto extends dtoOf({
  schemas: f.texts([USER_URN, ENTERPRISE_URN]),
  userName: f.text('barbara@example.com', 'Name to sign in with; unique, compared without case.'),
  externalId: f.text('00u1ab2c3d', 'Id of the user at the identity provider.').optional(),
  name: f.record<object>(NAME, 'The name, in parts.').optional(),
  displayName: f.text('Barbara Example', 'Display name.').optional(),
  title: f.text('Engineer', 'Job title.').optional(),
  active: f.flag(true, 'Set it to false to revoke access to LLMs.').optional(),
  emails: f.records(EMAILS, 'E-mail addresses; the primary one becomes the user’s address.').optional(),
  [ENTERPRISE_URN]: f
    .record<object>(
      { department: 'Engineering', employeeNumber: '701984' },
      'The enterprise extension; `department` is the user’s department.',
    )
    .optional(),
}) {}

/** A user as a SCIM resource: the requested attributes, and always `schemas` and `id`. */
@ApiSchema({ name: 'GovernanceScimUserResourceDto' })
export class ScimUserResourceDto extends dtoOf(ScimUserDto, {
  userName: f.text('barbara@example.com', 'Name to sign in with.').optional(),
  id: f.uuid(ID),
  groups: f.records([{ value: GROUP_ID, display: 'Engineering', type: 'direct' }], 'Groups of the user.').optional(),
  meta: f.record<object>(META('Users', ID), 'Times, address and version.').optional(),
}) {}

/** Body of a group. */
@ApiSchema({ name: 'GovernanceScimGroupDto' })
export class ScimGroupDto extends dtoOf({
  schemas: f.texts([GROUP_URN]),
  displayName: f.text('Engineering', 'Unique name of the group; its members get it as department.', { maxLength: 255 }),
  externalId: f.text('00g1ab2c3d', 'Id of the group at the identity provider.').optional(),
  members: f.records([], 'Users, by their ids.').optional(),
}) {}

/** A group as a SCIM resource: the requested attributes, and always `schemas` and `id`. */
@ApiSchema({ name: 'GovernanceScimGroupResourceDto' })
export class ScimGroupResourceDto extends dtoOf(ScimGroupDto, {
  displayName: f.text('Engineering', 'Name of the group; its members have it as department.').optional(),
  id: f.uuid(GROUP_ID),
  meta: f.record<object>(META('Groups', GROUP_ID), 'Times, address and version.').optional(),
}) {}

/** Changes of a user or group, applied in order. */
@ApiSchema({ name: 'GovernanceScimPatchDto' })
export class ScimPatchDto extends dtoOf({
  schemas: f.texts([PATCH_URN]),
  Operations: f.records(
    [{ op: 'replace', path: 'displayName', value: 'Research' }],
    'Each with `op` (add, remove, replace), `path` and `value`.',
    { minItems: 1, maxItems: 1_000 },
  ),
}) {}

/** A search by POST. It is for filters that are too long for a URL, or that must not appear in one. */
@ApiSchema({ name: 'GovernanceScimSearchDto' })
export class ScimSearchDto extends dtoOf({
  schemas: f.texts([SEARCH_URN]),
  filter: f.text('displayName sw "A"', 'A filter as in a list.').optional(),
  attributes: f.texts(['displayName'], 'Only these attributes.').optional(),
  excludedAttributes: f.texts([], 'All attributes except these.').optional(),
  startIndex: f.integer(1, 'Position of the first result, starting at 1.').optional(),
  count: f.integer(100, 'Results per page, at most 200.').optional(),
}) {}

/** One page of resources. */
@ApiSchema({ name: 'GovernanceScimListDto' })
export class ScimListDto extends dtoOf({
  schemas: f.texts([LIST_URN]),
  totalResults: f.integer(0, 'Exact number of results.'),
  startIndex: f.integer(1, 'Position of the first result on this page.'),
  itemsPerPage: f.integer(0, 'Number of results on this page.'),
  Resources: f.records([], 'The resources.'),
}) {}

/** An error body of RFC 7644, section 3.12. */
@ApiSchema({ name: 'GovernanceScimErrorDto' })
export class ScimErrorDto extends dtoOf({
  schemas: f.texts([ERROR_URN]),
  status: f.text('400', 'The HTTP status.'),
  scimType: f.text('invalidFilter', 'Error type of RFC 7644.').optional(),
  detail: f.text('The filter lacks ) at character 12.', 'A message for people.'),
}) {}
