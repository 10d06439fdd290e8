import { Injectable } from '@nestjs/common';
import { UserDirectory, type DirectoryUser, type SqlTransaction, type UserReference, type UserStatus } from '#core';
import { ChangeFeed, OrgDatabase, OrgTable, plainArray, SCHEMA } from '#database';
import { recordActivity } from '../record-activity.js';
import { USERS_TOPIC } from '../users.topic.js';
import { USER_COLUMNS, type DirectoryRow } from './directory-row.js';
import { OrgUsers } from './org-users.js';

// The lock makes a concurrent change of the user wait for the calling transaction, or this statement wait for the
// change.
const STATUS = `select status from ${SCHEMA}.users where org_id = $1 and id = $2 for share`;

const DEPARTURES = `
select id, (extract(epoch from departs_at) * 1000)::text as at_ms from ${SCHEMA}.users
where org_id = $1 and id = any($2::uuid[]) and departs_at is not null`;

/**
 * User directory over this library's table. If the table cannot be read, it throws instead of reporting a user as
 * missing.
 */
@Injectable()
export class StoredUserDirectory extends UserDirectory {
  private readonly users: OrgTable<DirectoryRow, OrgUsers>;

  constructor(database: OrgDatabase, changes: ChangeFeed) {
    super();
    this.users = new OrgTable(database, changes, {
      topic: USERS_TOPIC,
      table: 'users',
      columns: USER_COLUMNS,
      empty: () => new OrgUsers(),
    });
  }

  async find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const users = this.users.peek(orgId) ?? (await this.users.of(orgId));
    return references.map(reference => users.find(reference));
  }

  override async statusWithin(tx: SqlTransaction, orgId: string, userId: string): Promise<UserStatus | undefined> {
    const [row] = await tx.query<{ status: UserStatus }>(STATUS, [orgId, userId]);
    return row?.status;
  }

  override async departuresWithin(
    tx: SqlTransaction,
    orgId: string,
    userIds: readonly string[],
  ): Promise<Map<string, Date>> {
    const ids = plainArray(userIds, id => id);
    const rows = await tx.query<{ id: string; at_ms: string }>(DEPARTURES, [orgId, ids]);
    return new Map(rows.map(({ id, at_ms }) => [id, new Date(Number(at_ms))]));
  }

  async emails(orgId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const users = this.users.peek(orgId) ?? (await this.users.of(orgId));
    const emails = new Map<string, string>();
    for (const id of userIds) {
      const user = users.find({ user_id: id });
      if (user) emails.set(id, user.email);
    }
    return emails;
  }

  recordActivity(tx: SqlTransaction, orgId: string, lastSeen: ReadonlyMap<string, Date>): Promise<void> {
    return recordActivity(tx, orgId, lastSeen);
  }
}
