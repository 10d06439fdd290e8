import { SCHEMA } from '#database';
import { GROUP_URN } from '../protocol/urns.js';
import { lowered, schemasAre, type SqlAttributes, type SqlColumn, type SqlList } from '../query/filter-sql.js';

/** Groups of the organization `$1`. */
export const SCIM_GROUPS = `from ${SCHEMA}.scim_groups g where g.org_id = $1`;

const COLUMNS: ReadonlyMap<string, SqlColumn> = new Map(
  Object.entries<SqlColumn>({
    id: { sql: 'g.id', as: 'uuid' },
    externalId: { sql: 'g.external_id', as: 'exact' },
    displayName: { sql: 'g.display_name_key', as: 'folded' },
    'meta.resourceType': { sql: `'Group'`, as: 'exact' },
    'meta.created': { sql: 'g.created_at', as: 'time' },
    'meta.lastModified': { sql: 'g.updated_at', as: 'time' },
    'meta.version': { sql: `('W/"' || g.version || '"')`, as: 'exact' },
  }),
);

const MEMBER_COLUMNS: ReadonlyMap<string, SqlColumn> = new Map(
  Object.entries<SqlColumn>({
    value: { sql: 'm.user_id', as: 'uuid' },
    display: { sql: lowered('u.name'), as: 'lowered' },
    type: { sql: `'user'`, as: 'folded' },
  }),
);

const LISTS: ReadonlyMap<string, SqlList> = new Map(
  Object.entries<SqlList>({
    schemas: schemasAre(`array['${GROUP_URN}']`),
    members: {
      from: `from ${SCHEMA}.scim_group_members m join ${SCHEMA}.users u on u.org_id = m.org_id and u.id = m.user_id
        where m.org_id = $1 and m.group_id = g.id`,
      column: ({ name }) => MEMBER_COLUMNS.get(name),
    },
  }),
);

/** Attributes of groups that identity providers can filter by. */
export const GROUP_ATTRIBUTES: SqlAttributes = {
  column: ({ attribute, sub }) => COLUMNS.get(sub ? `${attribute.name}.${sub.name}` : attribute.name),
  list: ({ name }) => LISTS.get(name),
};
