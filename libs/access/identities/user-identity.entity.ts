import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/** The link between an account at an identity provider and a user. */
@Entity({ tableName: 'identities', schema: 'governance' })
export class UserIdentity extends OrgRecord {
  /** The claim `iss`. */
  @Property({ type: 'text' })
  issuer!: string;

  /** The claim `sub`. Unlike an e-mail address, it is never reassigned. */
  @Property({ type: 'text' })
  subject!: string;

  @Property({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'timestamptz' })
  linkedAt!: Date;

  /** When the user left. The row is kept, so that the account of a former user is still recognized. */
  @Property({ type: 'timestamptz', nullable: true })
  endedAt!: Date | null;
}
