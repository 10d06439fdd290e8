import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/** The link between an account at an identity provider and a user. */
@Entity({ tableName: 'identities', schema: 'governance' })
export class UserIdentity extends OrgRecord {
  /** The claim `iss`. */
  @Property({ type: 'text' })
  issuer!: string;

  /** The claim `sub`: the provider never gives it to another account, unlike an e-mail address. */
  @Property({ type: 'text' })
  subject!: string;

  @Property({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'timestamptz' })
  linkedAt!: Date;

  /** When the user left. The account stays known, so that it is never taken for a stranger's. */
  @Property({ type: 'timestamptz', nullable: true })
  endedAt!: Date | null;
}
