import { BigIntType } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import { OrgRecord } from '#database';
import { foldText } from '../protocol/fold-text.js';

/** A group of an identity provider. Its members are in a separate table. */
@Entity({ tableName: 'scim_groups', schema: 'governance' })
export class ScimGroup extends OrgRecord {
  /** Name of the group; its members have it as department. */
  @Property({ type: 'text' })
  displayName!: string;

  /** The name in lower case; unique within the organization. */
  @Property({ type: 'text' })
  displayNameKey!: string;

  @Property({ type: 'text', nullable: true })
  externalId!: string | null;

  /** Version of the topic `users` at the last change of the group. */
  @Property({ type: new BigIntType('number') })
  version!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Stores the names that the client sent. */
  describe(displayName: string, externalId: string | null): void {
    this.displayName = displayName;
    this.displayNameKey = foldText(displayName);
    this.externalId = externalId;
  }

  /** The audit log's representation of the group. */
  audited(): JsonObject {
    return { display_name: this.displayName, external_id: this.externalId };
  }
}
