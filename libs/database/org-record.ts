import { PrimaryKeyProp } from '@mikro-orm/core';
import { PrimaryKey } from '@mikro-orm/decorators/legacy';

/** Primary key of a record that belongs to an organization. Like all indexes, it begins with the organization. */
export abstract class OrgRecord {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;
}
