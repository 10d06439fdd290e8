import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { PrimaryKeyProp } from '@mikro-orm/core';

/** The networks that may send ticket reports, if the organization has configured them. */
@Entity({ tableName: 'itsm_inbound_settings', schema: 'governance' })
export class InboundSettings {
  [PrimaryKeyProp]?: 'orgId';

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  /** The networks as entered. An empty list refuses every sender. */
  @Property({ type: 'text[]' })
  allowedNetworks!: string[];

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;
}
