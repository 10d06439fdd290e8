import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';
import type { StoredNotifications } from './notification-routing.js';

/** A problem because of which notifications cannot be sent. */
export interface WorkspaceProblem {
  /** The problem, as a sentence for the operator. */
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * A workspace of a chat platform, which may send commands and gets notifications. Its secrets are encrypted in the
 * vault.
 */
@Entity({ tableName: 'chat_workspaces', schema: 'governance' })
export class ChatWorkspace extends OrgRecord {
  @Property({ type: 'text' })
  platform!: string;

  /** The platform's id of the workspace: `T024BE7LD`. */
  @Property({ type: 'text' })
  workspace!: string;

  /** Names of the stored secrets, in alphabetical order. */
  @Property({ type: 'text[]' })
  secretNames!: string[];

  @Property({ type: 'json' })
  notifications!: StoredNotifications;

  /** The problem with the last notification. Null if it was sent. */
  @Property({ type: 'json', nullable: true })
  problem!: WorkspaceProblem | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;
}
