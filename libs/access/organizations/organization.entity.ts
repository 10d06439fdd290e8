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

  /** Days for which a token lasts at most that somebody makes who has signed in, and did not come with a token. */
  @Property({ type: 'smallint' })
  signInTokenMaxDays!: number;

  /** The month in which its fiscal year begins, 1 to 12: quarters and years of budgets begin with it. */
  @Property({ type: 'smallint' })
  fiscalYearFirstMonth!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;
}
