import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isUuid } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import type { ListRequest } from '../protocol/list-request.js';
import { shows, type Projection } from '../protocol/projection.js';
import { conditionOf } from '../query/filter-sql.js';
import { PagedIds } from '../query/paged-ids.js';
import type { FoundPage } from '../users/scim-user-reader.js';
import { GROUP_ATTRIBUTES, SCIM_GROUPS } from './group-attributes.sql.js';
import { ScimGroupNotFoundError } from './group.errors.js';
import type { FoundGroup, MemberOfGroup } from './group.presenter.js';
import { ScimGroup } from './scim-group.entity.js';

const MEMBERS_OF = `
select m.group_id, u.id, u.name from ${SCHEMA}.scim_group_members m
join ${SCHEMA}.users u on u.org_id = m.org_id and u.id = m.user_id
where m.org_id = $1 and m.group_id = any($2::uuid[]) order by m.user_id`;

/** Reads groups for identity providers. Members are read only if the response shows them. */
@Injectable()
export class ScimGroupReader {
  private readonly pages = new PagedIds('g.id');

  constructor(private readonly database: OrgDatabase) {}

  /** @throws ScimGroupNotFoundError */
  async get(orgId: string, id: string, projection: Projection): Promise<FoundGroup> {
    if (!isUuid(id)) throw new ScimGroupNotFoundError();
    const [found] = await this.database.transaction(orgId, em =>
      foundGroups(em, orgId, [id.toLowerCase()], projection),
    );
    if (!found) throw new ScimGroupNotFoundError();
    return found;
  }

  /**
   * One page in order of creation.
   * @throws ScimError invalidFilter
   */
  async list(orgId: string, request: ListRequest): Promise<FoundPage<FoundGroup>> {
    const parameters: unknown[] = [orgId];
    const condition = request.filter && conditionOf(request.filter, GROUP_ATTRIBUTES, parameters);
    const sql = condition === undefined ? SCIM_GROUPS : `${SCIM_GROUPS} and ${condition}`;
    return this.database.snapshot(orgId, async em => {
      const { ids, totalResults } = await this.pages.page(sqlOf(em), orgId, { sql, parameters }, request);
      return { found: await foundGroups(em, orgId, ids, request.projection), totalResults };
    });
  }
}

async function foundGroups(
  em: EntityManager,
  orgId: string,
  ids: string[],
  projection: Projection,
): Promise<FoundGroup[]> {
  const groups = await em.find(ScimGroup, { orgId, id: { $in: ids } }, { orderBy: { id: 'asc' } });
  if (!shows(projection, 'members')) return groups.map(group => ({ group }));
  const rows = await sqlOf(em).query<MemberOfGroup & { group_id: string }>(MEMBERS_OF, [orgId, ids]);
  const members = new Map<string, MemberOfGroup[]>();
  for (const { group_id: groupId, id, name } of rows) {
    const known = members.get(groupId);
    if (known) known.push({ id, name });
    else members.set(groupId, [{ id, name }]);
  }
  return groups.map(group => ({ group, members: members.get(group.id) ?? [] }));
}
