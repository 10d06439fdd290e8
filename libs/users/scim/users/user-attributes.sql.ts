import { isUuid } from '#core';
import { SCHEMA } from '#database';
import { ENTERPRISE_URN, USER_URN } from '../protocol/urns.js';
import type { Attribute } from '../protocol/attribute.js';
import type { AttributeRef } from '../protocol/resource-schema.js';
import { lowered, schemasAre, type SqlAttributes, type SqlColumn, type SqlList } from '../query/filter-sql.js';

/**
 * Users as identity providers see them: `u` is the user, and `s` the data of the identity provider, if any. `$1` is the
 * organization. Users whom the identity provider has removed are excluded.
 */
export const SCIM_USERS = `
from ${SCHEMA}.users u left join ${SCHEMA}.scim_users s on s.org_id = u.org_id and s.user_id = u.id
where u.org_id = $1 and not exists (
  select 1 from ${SCHEMA}.scim_users d where d.org_id = $1 and d.user_id = u.id and d.deleted_at is not null)`;

/** The same users for counting, without the join that only filters need. */
export const ALL_SCIM_USERS = SCIM_USERS.replace(/left join.*\n/, '\n');

/** Number of users, with the version of the list. */
export const SCIM_USERS_TOTAL = `select users::text as total, version::text from ${SCHEMA}.scim_totals where org_id = $1`;

/** The addresses in the order in which they are shown: the user's own address first. */
const EMAILS = `coalesce(jsonb_set(s.profile->'emails', '{0,value}', to_jsonb(u.email)),
  jsonb_build_array(jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)))`;

/** The SCIM userName; see `userNames`. */
const USER_NAME = `coalesce(s.user_name_key, case when exists (
  select 1 from ${SCHEMA}.scim_users k
  where k.org_id = $1 and k.user_name_key = u.email_key and k.deleted_at is null) then u.id::text else u.email_key end)`;

const OWN_COLUMNS: ReadonlyMap<string, SqlColumn> = new Map(
  Object.entries<SqlColumn>({
    id: { sql: 'u.id', as: 'uuid' },
    userName: { sql: USER_NAME, as: 'folded', narrowedBy: namedOr('user_name_key') },
    externalId: { sql: 's.external_id', as: 'exact' },
    displayName: { sql: lowered('u.name'), as: 'lowered' },
    active: { sql: `(u.status = 'active')`, as: 'flag' },
    'meta.resourceType': { sql: `'User'`, as: 'exact' },
    'meta.created': { sql: 'u.created_at', as: 'time' },
    'meta.lastModified': { sql: 'u.updated_at', as: 'time' },
    'meta.version': { sql: `('W/"' || u.change_version || '"')`, as: 'exact' },
    [`${ENTERPRISE_URN}:department`]: { sql: lowered('s.department'), as: 'lowered' },
  }),
);

/** Attributes by which an identity provider can search users: all attributes that are stored. */
export const USER_ATTRIBUTES: SqlAttributes = {
  column({ extension, attribute, sub }: AttributeRef): SqlColumn | undefined {
    const path = [
      ...(extension === undefined ? [] : [extension]),
      ...(sub ? [attribute.name, sub.name] : [attribute.name]),
    ];
    const own = OWN_COLUMNS.get(extension === undefined ? path.join('.') : path.join(':'));
    if (own) return own;
    if (attribute.name === 'meta') return undefined;
    // These names come from the schema and not from the caller, so they need no escaping.
    const last = path.pop();
    const holder = ['s.profile', ...path.map(name => `'${name}'`)].join('->');
    if (attribute.type === 'complex' && !sub) return { sql: `${holder}->'${last}'`, as: 'exact' };
    return partOf(holder, sub ?? attribute);
  },
  list(attribute: Attribute): SqlList | undefined {
    if (attribute.name === 'groups') return GROUPS;
    if (attribute.name === 'schemas') return SCHEMAS;
    const isEmails = attribute.name === 'emails';
    return {
      from: `from jsonb_array_elements(${isEmails ? EMAILS : `s.profile->'${attribute.name}'`}) v where true`,
      column: part => partOf('v', part),
      ...(isEmails ? { narrowedBy: namedOr('email') } : {}),
    };
  },
};

const SCHEMAS = schemasAre(
  `case when s.profile->'${ENTERPRISE_URN}' is null then array['${USER_URN}'] else array['${USER_URN}', '${ENTERPRISE_URN}'] end`,
);

const GROUP_COLUMNS: ReadonlyMap<string, SqlColumn> = new Map(
  Object.entries<SqlColumn>({
    value: { sql: 'g.id', as: 'uuid' },
    display: { sql: 'g.display_name_key', as: 'folded' },
    type: { sql: `'direct'`, as: 'folded' },
  }),
);

const GROUPS: SqlList = {
  from: `from ${SCHEMA}.scim_group_members m join ${SCHEMA}.scim_groups g on g.org_id = m.org_id and g.id = m.group_id
    where m.org_id = $1 and m.user_id = u.id`,
  column: ({ name }) => GROUP_COLUMNS.get(name),
};

function partOf(holder: string, part: Attribute): SqlColumn {
  if (part.type === 'boolean') return { sql: `coalesce((${holder}->>'${part.name}')::boolean, false)`, as: 'flag' };
  const text = `${holder}->>'${part.name}'`;
  return part.caseExact ? { sql: text, as: 'exact' } : { sql: lowered(text), as: 'lowered' };
}

/**
 * Condition for users who may have a name or address: users with this e-mail address, and users for whom the identity
 * provider has set the name or address. It includes all users who match, so it does not change the result. It only lets
 * PostgreSQL use an index.
 */
function namedOr(what: 'user_name_key' | 'email'): (parameter: string, operand: string) => string {
  const said =
    what === 'email'
      ? 'scim_emails k where k.org_id = $1 and k.email_key'
      : 'scim_users k where k.org_id = $1 and k.user_name_key';
  // If another user has this e-mail address as userName, the userName is the user's id.
  const byId = (parameter: string, operand: string): string =>
    what === 'user_name_key' && isUuid(operand) ? `union all select ${parameter}::uuid` : '';
  return (parameter, operand) =>
    `u.id in (select k.id from ${SCHEMA}.users k where k.org_id = $1 and k.email_key = ${parameter}
      ${byId(parameter, operand)}
      union all select k.user_id from ${SCHEMA}.${said} = ${parameter})`;
}
