import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** An organization: the owner of everything else. */
@Entity({ tableName: 'organizations', schema: 'governance' })
export class Organization {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'text' })
  name!: string;

  /** IANA name of the zone in which days, weeks and months of budgets begin. */
  @Property({ type: 'text' })
  timeZone!: string;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;
}
