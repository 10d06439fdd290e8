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

  /** Maximum lifetime in days of a token that a person creates after a sign-in, without another token. */
  @Property({ type: 'smallint' })
  signInTokenMaxDays!: number;

  /** The month in which its fiscal year begins, 1 to 12: quarters and years of budgets begin with it. */
  @Property({ type: 'smallint' })
  fiscalYearFirstMonth!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  /** Since when the operator refuses its requests; null if it is active. */
  @Property({ type: 'timestamptz', nullable: true })
  suspendedAt: Date | null = null;
}
