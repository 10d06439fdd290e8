import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isUuid } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { User } from '../../user.entity.js';
import { UserNotFoundError } from '../../user.errors.js';
import type { ListRequest } from '../protocol/list-request.js';
import { shows } from '../protocol/projection.js';
import { conditionOf } from '../query/filter-sql.js';
import { PagedIds, type ListSource } from '../query/paged-ids.js';
import { ScimUser } from './scim-user.entity.js';
import { ALL_SCIM_USERS, SCIM_USERS, SCIM_USERS_TOTAL, USER_ATTRIBUTES } from './user-attributes.sql.js';
import type { FoundUser, GroupOfUser } from './user.presenter.js';
import { userNames } from './user-names.js';

/** One page of results and their total number. */
export interface FoundPage<T> {
  found: T[];
  totalResults: number;
}

const GROUPS_OF = `
select m.user_id, g.id, g.display_name from ${SCHEMA}.scim_group_members m
join ${SCHEMA}.scim_groups g on g.org_id = m.org_id and g.id = m.group_id
where m.org_id = $1 and m.user_id = any($2::uuid[]) order by g.display_name, g.id`;

/** Reads users for identity providers. Omits users whom the provider has removed. */
@Injectable()
export class ScimUserReader {
  private readonly pages = new PagedIds('u.id');

  constructor(private readonly database: OrgDatabase) {}

  /** @throws UserNotFoundError */
  async get(orgId: string, id: string): Promise<FoundUser> {
    if (!isUuid(id)) throw new UserNotFoundError();
    const found = await this.database.transaction(orgId, em => foundUsers(em, orgId, [id.toLowerCase()], true));
    const user = found.find(({ record }) => record.deletedAt === null);
    if (!user) throw new UserNotFoundError();
    return user;
  }

  /**
   * One page in order of creation.
   * @throws ScimError invalidFilter
   */
  async list(orgId: string, request: ListRequest): Promise<FoundPage<FoundUser>> {
    const parameters: unknown[] = [orgId];
    const condition = request.filter && conditionOf(request.filter, USER_ATTRIBUTES, parameters);
    const source: ListSource =
      condition === undefined
        ? { sql: ALL_SCIM_USERS, parameters, totalSql: SCIM_USERS_TOTAL }
        : { sql: `${SCIM_USERS} and ${condition}`, parameters };
    return this.database.snapshot(orgId, async em => {
      const { ids, totalResults } = await this.pages.page(sqlOf(em), orgId, source, request);
      return { found: await foundUsers(em, orgId, ids, shows(request.projection, 'groups')), totalResults };
    });
  }
}

/** Users with their SCIM data, in the order of the given ids. Omits unknown ids. */
async function foundUsers(em: EntityManager, orgId: string, ids: string[], withGroups: boolean): Promise<FoundUser[]> {
  const users = new Map((await em.find(User, { orgId, id: { $in: ids } })).map(user => [user.id, user]));
  const said = await em.find(ScimUser, { orgId, userId: { $in: ids } });
  const records = new Map(said.map(record => [record.userId, record]));
  const groups = withGroups ? await groupsOf(em, orgId, ids) : new Map<string, GroupOfUser[]>();
  const known = ids.flatMap(id => {
    const user = users.get(id);
    return user ? [{ user, record: records.get(id) ?? ScimUser.of(orgId, id), groups: groups.get(id) ?? [] }] : [];
  });
  const nameOf = await userNames(sqlOf(em), orgId, known);
  return known.map(each => Object.assign(each, { userName: nameOf(each.user, each.record) }));
}

/** The groups of each user, in the order of their names. */
export async function groupsOf(em: EntityManager, orgId: string, ids: string[]): Promise<Map<string, GroupOfUser[]>> {
  const rows = await sqlOf(em).query<{ user_id: string; id: string; display_name: string }>(GROUPS_OF, [orgId, ids]);
  const groups = new Map<string, GroupOfUser[]>();
  for (const { user_id: userId, id, display_name: displayName } of rows) {
    groups.set(userId, [...(groups.get(userId) ?? []), { id, displayName }]);
  }
  return groups;
}
