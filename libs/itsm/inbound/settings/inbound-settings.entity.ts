import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { PrimaryKeyProp } from '@mikro-orm/core';

/** Who may report on an organization's tickets, where it has said so. */
@Entity({ tableName: 'itsm_inbound_settings', schema: 'governance' })
export class InboundSettings {
  [PrimaryKeyProp]?: 'orgId';

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  /** As they were entered. An empty list lets nobody in. */
  @Property({ type: 'text[]' })
  allowedNetworks!: string[];

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;
}
