import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/** Roles that a link can grant: the roles of access tokens that are meant for people. */
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

  /** The platform's id of the account: `U2147483697`. People can change the name of their account, but not its id. */
  @Property({ type: 'text' })
  account!: string;

  @Property({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'text' })
  role!: ChatRole;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;
}
