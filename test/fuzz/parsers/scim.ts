import fc from 'fast-check';
import type { JsonObject } from '#core';
import { GROUP_ATTRIBUTES } from '../../../libs/users/scim/groups/group-attributes.sql.js';
import { readGroup } from '../../../libs/users/scim/groups/requested-group.js';
import { memberStepOf } from '../../../libs/users/scim/groups/member-steps.js';
import { applyPatch } from '../../../libs/users/scim/protocol/apply-patch.js';
import { readListQuery, readSearch } from '../../../libs/users/scim/protocol/list-request.js';
import { parseFilter, parsePath } from '../../../libs/users/scim/protocol/parse-filter.js';
import { readPatch } from '../../../libs/users/scim/protocol/patch-request.js';
import { project } from '../../../libs/users/scim/protocol/projection.js';
import { readResource } from '../../../libs/users/scim/protocol/read-resource.js';
import { isSameVersion } from '../../../libs/users/scim/protocol/version.js';
import { conditionOf } from '../../../libs/users/scim/query/filter-sql.js';
import { GROUP_SCHEMA } from '../../../libs/users/scim/schemas/group.schema.js';
import { USER_SCHEMA } from '../../../libs/users/scim/schemas/user.schema.js';
import { USER_ATTRIBUTES } from '../../../libs/users/scim/users/user-attributes.sql.js';
import { mapUser } from '../../../libs/users/scim/users/user-mapping.js';
import { ENTERPRISE, GROUP, PATCH, SEARCH, USER } from '../../e2e/scim/scim.support.js';
import { anyJson, fields, mustBeJson, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const ID = '0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33';
const PERSON = {
  schemas: [USER, ENTERPRISE],
  userName: 'ada@example.com',
  externalId: 'x1',
  active: 'True',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  displayName: 'Ada',
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'b@example.com', type: 'home' },
  ],
  phoneNumbers: [{ value: '+1', type: 'work' }],
  [ENTERPRISE]: { department: 'Research', manager: { value: ID } },
};
const FILTERS = [
  'userName eq "ada@example.com"',
  'active eq true and (title pr or not (nickName sw "a"))',
  'emails[type eq "work" and value co "@x"].value ew ".com"',
  `${ENTERPRISE}:department eq "R" or meta.lastModified gt "2026-11-20T12:00:00Z"`,
  'members.value eq "0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33" or displayName eq null',
];
const OPERATIONS = [
  { op: 'replace', path: 'active', value: false },
  { op: 'Add', path: 'emails[type eq "work"].value', value: 'c@example.com' },
  { op: 'remove', path: 'emails[primary eq true]' },
  { op: 'replace', value: { displayName: 'B', 'name.givenName': 'G', [ENTERPRISE]: { department: 'S' } } },
  { op: 'add', path: `${ENTERPRISE}:manager`, value: { value: ID } },
  { op: 'remove', path: 'phoneNumbers' },
  { op: 'add', path: 'members', value: [{ value: ID, type: 'User' }] },
  { op: 'remove', path: `members[value eq "${ID}"]` },
];
const WORDS = [
  ' ',
  ' ',
  'userName',
  'active',
  'emails',
  'name.givenName',
  'meta.created',
  '[',
  ']',
  '(',
  ')',
  '"',
  '.',
];
const HOW = [
  'eq',
  'ne',
  'co',
  'sw',
  'gt',
  'pr',
  'and',
  'or',
  'not',
  'true',
  'null',
  '"a"',
  '1',
  'constructor',
  'value',
];
const compared = fc
  .tuple(
    fc.constantFrom('userName', 'active', 'title', 'emails', 'emails.value', 'name.givenName', 'meta.created', 'id'),
    fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le', 'EQ', 'toString'),
    fc.constantFrom(
      '"a"',
      '"constructor"',
      '"__proto__"',
      'constructor',
      'true',
      'null',
      '"2026-11-20T12:00:00Z"',
      '1',
    ),
  )
  .map(parts => parts.join(' '));
const part = fc
  .tuple(
    fc.constantFrom('type', 'value', 'primary', 'display'),
    fc.constantFrom('eq "constructor"', 'co "a"', 'pr', 'ne true'),
  )
  .map(parts => parts.join(' '));
/** Filters that follow the grammar. Most attributes support the operator. */
const { filter } = fc.letrec<{ filter: string }>(tie => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    compared,
    fc.constantFrom('title pr', 'active pr', 'nothing pr'),
    part.map(each => `emails[${each}]`),
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map(parts => parts.join(' ')),
    tie('filter').map(each => `not (${each})`),
    tie('filter').map(each => `(${each})`),
  ),
}));
const operation = fields({
  op: fc.constantFrom('add', 'Replace', 'remove', 'constructor'),
  path: fc.oneof(fc.constantFrom(...OPERATIONS.map(({ path }) => path ?? '')), sentence(...WORDS, ...HOW)),
  value: fc.oneof(
    anyJson,
    fc.constant({ value: ID }),
    fields({ active: text, emails: anyJson, 'name.givenName': text }),
  ),
});

function stored(resource: unknown): JsonObject {
  return readResource(USER_SCHEMA, resource);
}

/** Requests of identity providers. */
export const SCIM_PARSERS: FuzzedParser[] = [
  {
    kind: 'text',
    name: 'SCIM filter',
    share: 2,
    seeds: FILTERS,
    grammar: fc.oneof({ weight: 3, arbitrary: filter }, { weight: 1, arbitrary: sentence(...WORDS, ...HOW) }),
    read: given => {
      const parsed = parseFilter(USER_SCHEMA, given, [GROUP_SCHEMA]);
      const parameters: unknown[] = [];
      conditionOf(parsed, USER_ATTRIBUTES, parameters);
      mustBeJson([parsed, parameters]);
    },
  },
  {
    kind: 'text',
    name: 'SCIM filter of groups',
    seeds: ['displayName eq "G"', `members.value eq "${ID}" or members[value eq "${ID}"]`, 'not (externalId pr)'],
    read: given => conditionOf(parseFilter(GROUP_SCHEMA, given), GROUP_ATTRIBUTES, []),
  },
  {
    kind: 'text',
    name: 'SCIM path',
    seeds: ['emails[type eq "work"].value', 'name.givenName', `${ENTERPRISE}:manager.value`, 'members[value eq "x"]'],
    grammar: sentence(...WORDS, ...HOW),
    read: path => parsePath(path.startsWith('m') ? GROUP_SCHEMA : USER_SCHEMA, path),
  },
  {
    kind: 'json',
    name: 'SCIM PATCH of a user',
    share: 2,
    seeds: [
      { schemas: [PATCH], Operations: OPERATIONS.slice(0, 6) },
      ...OPERATIONS.map(each => ({ schemas: [PATCH], Operations: [each] })),
    ],
    grammar: fc.array(operation, { minLength: 1, maxLength: 4 }).map(Operations => ({ schemas: [PATCH], Operations })),
    read: body => {
      const patched = applyPatch(stored(PERSON), readPatch(USER_SCHEMA, body));
      mustBeJson(patched);
      mapUser(patched, 'ada@example.com');
    },
  },
  {
    kind: 'json',
    name: 'SCIM PATCH of a group',
    seeds: OPERATIONS.map(each => ({ schemas: [PATCH], Operations: [each] })),
    grammar: fc.array(operation, { minLength: 1, maxLength: 4 }).map(Operations => ({ schemas: [PATCH], Operations })),
    read: body =>
      readPatch(GROUP_SCHEMA, body).map(step =>
        step.target.ref.attribute.name === 'members' ? memberStepOf(step) : applyPatch({ displayName: 'G' }, [step]),
      ),
  },
  {
    kind: 'json',
    name: 'SCIM user',
    share: 2,
    seeds: [PERSON, { schemas: [USER], userName: 'b', emails: 'b@example.com' }],
    grammar: fields({
      schemas: fc.constant([USER, ENTERPRISE]),
      userName: text,
      active: fc.oneof(fc.boolean(), text),
      name: fields({ givenName: text, formatted: text }),
      emails: fc.array(fields({ value: fc.emailAddress(), type: text, primary: fc.oneof(fc.boolean(), text) })),
      [ENTERPRISE]: fields({ department: text, manager: anyJson }),
    }),
    read: body => {
      const resource = stored(body);
      mustBeJson(resource);
      mapUser(resource);
    },
  },
  {
    kind: 'json',
    name: 'SCIM group',
    seeds: [{ schemas: [GROUP], displayName: 'G', externalId: 'g', members: [{ value: ID, type: 'User' }, ID] }],
    grammar: fields({
      schemas: fc.constant([GROUP]),
      displayName: text,
      members: fc.array(fc.oneof(fc.constant({ value: ID }), anyJson)),
    }),
    read: readGroup,
  },
  {
    kind: 'json',
    name: 'SCIM list and search',
    seeds: [
      { schemas: [SEARCH], filter: FILTERS[0], startIndex: 1, count: '10', attributes: ['userName', 'name.givenName'] },
      { filter: FILTERS[1], excludedAttributes: `emails, ${ENTERPRISE}:department`, count: -1 },
    ],
    grammar: fields({
      schemas: fc.constant([SEARCH]),
      filter,
      startIndex: fc.oneof(fc.integer(), text),
      attributes: fc.oneof(sentence(',', 'emails', 'name.', 'constructor', ENTERPRISE, ':department'), anyJson),
      excludedAttributes: fc.oneof(sentence(',', 'id', 'meta', '__proto__'), anyJson),
    }),
    read: body => {
      const query = typeof body === 'object' && body !== null ? { ...body } : {};
      project(readListQuery(USER_SCHEMA, query).projection, stored(PERSON));
      readSearch(USER_SCHEMA, body, [GROUP_SCHEMA]);
    },
  },
  {
    kind: 'text',
    name: 'If-Match',
    seeds: ['W/"12"', '*', '"12", W/"13"', '12'],
    grammar: sentence('W/', '"', '12', ',', ' ', '*'),
    read: header => isSameVersion(header, 'W/"12"'),
  },
];
