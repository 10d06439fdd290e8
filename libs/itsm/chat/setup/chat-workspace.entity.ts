import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';
import type { StoredNotifications } from './notification-routing.js';

/** What keeps notifications from being sent. */
export interface WorkspaceProblem {
  /** A sentence for the operator. */
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
}

/** A workspace of a chat platform: its commands are taken, and it gets notifications. Its secrets are sealed in the vault. */
@Entity({ tableName: 'chat_workspaces', schema: 'governance' })
export class ChatWorkspace extends OrgRecord {
  @Property({ type: 'text' })
  platform!: string;

  /** What the platform calls it: `T024BE7LD`. */
  @Property({ type: 'text' })
  workspace!: string;

  /** The secrets that are stored, in alphabetical order. */
  @Property({ type: 'text[]' })
  secretNames!: string[];

  @Property({ type: 'json' })
  notifications!: StoredNotifications;

  /** Null if the last notification was sent. */
  @Property({ type: 'json', nullable: true })
  problem!: WorkspaceProblem | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;
}
