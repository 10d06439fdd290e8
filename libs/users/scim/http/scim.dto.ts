import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ENTERPRISE_URN, ERROR_URN, GROUP_URN, LIST_URN, PATCH_URN, SEARCH_URN, USER_URN } from '../protocol/urns.js';

// What the API reference shows of bodies. They are read by the schemas of the protocol, not by these classes.

const ID = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const GROUP_ID = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const NAME = { givenName: 'Barbara', familyName: 'Example' };
const EMAILS = [{ value: 'barbara@example.com', type: 'work', primary: true }];
const PLURAL = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;
const OBJECT = { type: 'object', additionalProperties: true } as const;
const META = (kind: string, id: string) => ({
  resourceType: kind.slice(0, -1),
  created: '2026-11-02T08:00:00.000Z',
  lastModified: '2026-11-20T13:00:00.000Z',
  location: `https://governance.example.com/scim/v2/${kind}/${id}`,
  version: 'W/"42"',
});

/** What is said of a user. */
@ApiSchema({ name: 'GovernanceScimUserDto' })
export class ScimUserDto {
  @ApiProperty({ type: [String], example: [USER_URN, ENTERPRISE_URN] })
  schemas!: string[];

  @ApiProperty({ description: 'Name to sign in with; unique, compared without case.', example: 'barbara@example.com' })
  userName!: string;

  @ApiProperty({ required: false, description: 'Id of the user at the identity provider.', example: '00u1ab2c3d' })
  externalId?: string;

  @ApiProperty({ ...OBJECT, selfRequired: false, description: 'The name, in parts.', example: NAME })
  name?: object;

  @ApiProperty({ required: false, description: 'Display name.', example: 'Barbara Example' })
  displayName?: string;

  @ApiProperty({ required: false, description: 'Job title.', example: 'Engineer' })
  title?: string;

  @ApiProperty({ required: false, description: 'Set it to false to revoke access to LLMs.', example: true })
  active?: boolean;

  @ApiProperty({
    ...PLURAL,
    required: false,
    description: 'E-mail addresses; the primary one becomes the user’s address.',
    example: EMAILS,
  })
  emails?: object[];

  @ApiProperty({
    ...OBJECT,
    selfRequired: false,
    description: 'The enterprise extension; `department` is the user’s department.',
    example: { department: 'Engineering', employeeNumber: '701984' },
  })
  [ENTERPRISE_URN]?: object;
}

/** A user as a SCIM resource; with what was asked for, and always with `schemas` and `id`. */
@ApiSchema({ name: 'GovernanceScimUserResourceDto' })
export class ScimUserResourceDto extends ScimUserDto {
  @ApiProperty({ required: false, description: 'Name to sign in with.', example: 'barbara@example.com' })
  override userName!: string;

  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({
    ...PLURAL,
    required: false,
    description: 'Groups of the user.',
    example: [{ value: GROUP_ID, display: 'Engineering', type: 'direct' }],
  })
  groups?: object[];

  @ApiProperty({
    ...OBJECT,
    selfRequired: false,
    description: 'Times, address and version.',
    example: META('Users', ID),
  })
  meta!: object;
}

/** What is said of a group. */
@ApiSchema({ name: 'GovernanceScimGroupDto' })
export class ScimGroupDto {
  @ApiProperty({ type: [String], example: [GROUP_URN] })
  schemas!: string[];

  @ApiProperty({
    maxLength: 255,
    description: 'Unique name of the group; its members get it as department.',
    example: 'Engineering',
  })
  displayName!: string;

  @ApiProperty({ required: false, description: 'Id of the group at the identity provider.', example: '00g1ab2c3d' })
  externalId?: string;

  @ApiProperty({ ...PLURAL, required: false, description: 'Users, by their ids.', example: [] })
  members?: object[];
}

/** A group as a SCIM resource; with what was asked for, and always with `schemas` and `id`. */
@ApiSchema({ name: 'GovernanceScimGroupResourceDto' })
export class ScimGroupResourceDto extends ScimGroupDto {
  @ApiProperty({
    required: false,
    description: 'Name of the group; its members have it as department.',
    example: 'Engineering',
  })
  override displayName!: string;

  @ApiProperty({ format: 'uuid', example: GROUP_ID })
  id!: string;

  @ApiProperty({
    ...OBJECT,
    selfRequired: false,
    description: 'Times, address and version.',
    example: META('Groups', GROUP_ID),
  })
  meta!: object;
}

/** Changes to a user or group, one after the other. */
@ApiSchema({ name: 'GovernanceScimPatchDto' })
export class ScimPatchDto {
  @ApiProperty({ type: [String], example: [PATCH_URN] })
  schemas!: string[];

  @ApiProperty({
    ...PLURAL,
    minItems: 1,
    maxItems: 1_000,
    description: 'Each with `op` (add, remove, replace), `path` and `value`.',
    example: [{ op: 'replace', path: 'displayName', value: 'Research' }],
  })
  Operations!: object[];
}

/** A search by POST, for filters that are too long or too private for an address. */
@ApiSchema({ name: 'GovernanceScimSearchDto' })
export class ScimSearchDto {
  @ApiProperty({ type: [String], example: [SEARCH_URN] })
  schemas!: string[];

  @ApiProperty({ required: false, description: 'A filter as in a list.', example: 'displayName sw "A"' })
  filter?: string;

  @ApiProperty({ type: [String], required: false, description: 'Only these attributes.', example: ['displayName'] })
  attributes?: string[];

  @ApiProperty({ type: [String], required: false, description: 'All attributes except these.', example: [] })
  excludedAttributes?: string[];

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Position of the first result, starting at 1.',
    example: 1,
  })
  startIndex?: number;

  @ApiProperty({ type: 'integer', required: false, description: 'Results per page, at most 200.', example: 100 })
  count?: number;
}

/** One page of resources. */
@ApiSchema({ name: 'GovernanceScimListDto' })
export class ScimListDto {
  @ApiProperty({ type: [String], example: [LIST_URN] })
  schemas!: string[];

  @ApiProperty({ type: 'integer', description: 'Exact number of results.', example: 0 })
  totalResults!: number;

  @ApiProperty({ type: 'integer', description: 'Position of the first result on this page.', example: 1 })
  startIndex!: number;

  @ApiProperty({ type: 'integer', description: 'Number of results on this page.', example: 0 })
  itemsPerPage!: number;

  @ApiProperty({ ...PLURAL, description: 'The resources.', example: [] })
  Resources!: object[];
}

/** What is wrong, in the words of RFC 7644, section 3.12. */
@ApiSchema({ name: 'GovernanceScimErrorDto' })
export class ScimErrorDto {
  @ApiProperty({ type: [String], example: [ERROR_URN] })
  schemas!: string[];

  @ApiProperty({ description: 'The HTTP status.', example: '400' })
  status!: string;

  @ApiProperty({ required: false, description: 'Error type of RFC 7644.', example: 'invalidFilter' })
  scimType?: string;

  @ApiProperty({ description: 'A message for people.', example: 'The filter lacks ) at character 12.' })
  detail!: string;
}
