import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/** A workspace of a chat platform whose commands an organization takes. Its signing secret is sealed in the vault. */
@Entity({ tableName: 'chat_workspaces', schema: 'governance' })
export class ChatWorkspace extends OrgRecord {
  @Property({ type: 'text' })
  platform!: string;

  /** What the platform calls it: `T024BE7LD`. */
  @Property({ type: 'text' })
  workspace!: string;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;
}
