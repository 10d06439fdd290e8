import { Injectable } from '@nestjs/common';
import { UserDirectory, type DirectoryUser, type SqlTransaction, type UserReference } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { recordActivity } from '../record-activity.js';
import { USERS_TOPIC } from '../users.topic.js';
import { OrgUsers } from './org-users.js';

/**
 * The directory over this library's own table. An organization is read into memory when it is first asked for, and
 * kept current from then on by the topic `users` of the change feed. While the table cannot be read, asking for an
 * organization that is not in memory fails; it never finds nobody.
 */
@Injectable()
export class StoredUserDirectory extends UserDirectory {
  private readonly loaded = new Map<string, OrgUsers>();
  private readonly loading = new Map<string, Promise<OrgUsers>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
  ) {
    super();
    changes.subscribe(USERS_TOPIC, orgId => this.refresh(orgId));
  }

  async find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const users = this.loaded.get(orgId) ?? (await this.load(orgId));
    return references.map(reference => users.find(reference));
  }

  async emails(orgId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const users = this.loaded.get(orgId) ?? (await this.load(orgId));
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

  /** Callers who come while an organization is being read wait for the same reading; a failed one is not kept. */
  private load(orgId: string): Promise<OrgUsers> {
    const running = this.loading.get(orgId);
    if (running) return running;
    const loading = this.read(orgId).finally(() => this.loading.delete(orgId));
    this.loading.set(orgId, loading);
    return loading;
  }

  private async read(orgId: string): Promise<OrgUsers> {
    await this.changes.watch(orgId);
    const users = new OrgUsers();
    await this.database.transaction(orgId, em => users.readAll(sqlOf(em), orgId));
    this.loaded.set(orgId, users);
    return users;
  }

  /** The feed calls this once at a time and again until it succeeds. */
  private async refresh(orgId: string): Promise<void> {
    // A reading that fails leaves nothing that could be out of date.
    await this.loading.get(orgId)?.catch(() => undefined);
    const users = this.loaded.get(orgId);
    if (users) await this.database.transaction(orgId, em => users.readChanges(sqlOf(em), orgId));
  }
}
