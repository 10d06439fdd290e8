import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/** What people may do from a chat: roles of tokens that fit a person. */
export const CHAT_ROLES = ['member', 'auditor', 'admin'] as const;

/** One of them. */
export type ChatRole = (typeof CHAT_ROLES)[number];

/** Links an account of a chat to a user of the organization. */
@Entity({ tableName: 'chat_links', schema: 'governance' })
export class ChatLink extends OrgRecord {
  @Property({ type: 'text' })
  platform!: string;

  @Property({ type: 'text' })
  workspace!: string;

  /** What the platform calls the account: `U2147483697`. Names can be changed by their owners, ids cannot. */
  @Property({ type: 'text' })
  account!: string;

  @Property({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'text' })
  role!: ChatRole;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;
}
