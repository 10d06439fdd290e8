import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';

const MEMBERS = `select user_id from ${SCHEMA}.scim_group_members where org_id = $1 and group_id = $2`;

const UNKNOWN = `
select w.id from unnest($2::uuid[]) as w (id)
where not exists (select 1 from ${SCHEMA}.users u where u.org_id = $1 and u.id = w.id)
   or exists (select 1 from ${SCHEMA}.scim_users s where s.org_id = $1 and s.user_id = w.id and s.deleted_at is not null)
limit 1`;

const ADD = `
insert into ${SCHEMA}.scim_group_members (org_id, group_id, user_id)
select $1, $2, w.id from unnest($3::uuid[]) as w (id) on conflict do nothing returning user_id`;

const REMOVE = `
delete from ${SCHEMA}.scim_group_members
where org_id = $1 and group_id = $2 and user_id = any($3::uuid[]) returning user_id`;

const REMOVE_OTHERS = `
delete from ${SCHEMA}.scim_group_members
where org_id = $1 and group_id = $2 and user_id <> all($3::uuid[]) returning user_id`;

type MemberRow = { user_id: string };

/** The members of one group. All statements work on sets, because a group may contain a whole organization. */
export class GroupMembers {
  constructor(
    private readonly tx: SqlTransaction,
    private readonly orgId: string,
    private readonly groupId: string,
  ) {}

  /** Ids of the users in the group. */
  all(): Promise<string[]> {
    return this.ids(MEMBERS);
  }

  /** The first of these ids that does not belong to a user whom the identity provider can see. */
  async firstUnknown(userIds: readonly string[]): Promise<string | undefined> {
    const [row] = await this.tx.query<{ id: string }>(UNKNOWN, [this.orgId, userIds]);
    return row?.id;
  }

  /** Adds members. Returns the ids of the users that were not members before. */
  add(userIds: readonly string[]): Promise<string[]> {
    return this.ids(ADD, userIds);
  }

  /** Removes members. Returns the ids of the users that were members before. */
  remove(userIds: readonly string[]): Promise<string[]> {
    return this.ids(REMOVE, userIds);
  }

  /** Removes all members except these. Returns the removed members. */
  removeOthers(userIds: readonly string[]): Promise<string[]> {
    return this.ids(REMOVE_OTHERS, userIds);
  }

  private async ids(sql: string, userIds?: readonly string[]): Promise<string[]> {
    const rows = await this.tx.query<MemberRow>(sql, [this.orgId, this.groupId, ...(userIds ? [userIds] : [])]);
    return rows.map(row => row.user_id);
  }
}
