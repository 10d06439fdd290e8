import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** An organization (tenant), which owns all other data. */
@Entity({ tableName: 'organizations', schema: 'governance' })
export class Organization {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'text' })
  name!: string;

  /** IANA time zone, which determines days, weeks and months of budgets. */
  @Property({ type: 'text' })
  timeZone!: string;

  /** Maximum lifetime in days of a token that a user creates after a sign-in. */
  @Property({ type: 'smallint' })
  signInTokenMaxDays!: number;

  /** First month of the fiscal year, 1 to 12. It determines quarters and years of budgets. */
  @Property({ type: 'smallint' })
  fiscalYearFirstMonth!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  /** When the operator suspended it; null if it is active. */
  @Property({ type: 'timestamptz', nullable: true })
  suspendedAt: Date | null = null;
}
