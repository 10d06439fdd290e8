import { PrimaryKeyProp } from '@mikro-orm/core';
import { PrimaryKey } from '@mikro-orm/decorators/legacy';

/** The primary key of a record that belongs to an organization. It begins with the organization, as all its indexes do. */
export abstract class OrgRecord {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;
}
