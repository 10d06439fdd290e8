import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/** A stored browser session: its credential and its lifetime, never its secret. */
@Entity({ tableName: 'dashboard_sessions', schema: 'governance' })
export class DashboardSession extends OrgRecord {
  /** SHA-256 of the cookie's value. */
  @Property({ type: 'blob', lazy: true })
  secretHash!: Buffer;

  /** The access token of the sign-in; null for an account at an identity provider. */
  @Property({ type: 'uuid', nullable: true })
  tokenId!: string | null;

  /** Claims of the identity provider at the sign-in; null for an access token. */
  @Property({ type: 'json', nullable: true, lazy: true })
  identity!: object | null;

  /** Id of the token, or `<issuer>#<subject>` of the account. */
  @Property({ type: 'text' })
  credentialId!: string;

  /** Name of the token or person at the time of the sign-in. */
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  @Property({ type: 'text', nullable: true })
  address!: string | null;

  @Property({ type: 'text', nullable: true })
  userAgent!: string | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  /** Time of the last input, accurate to 30 seconds. */
  @Property({ type: 'timestamptz' })
  lastInputAt!: Date;

  /** Latest end of the session, independent of input. */
  @Property({ type: 'timestamptz' })
  expiresAt!: Date;

  /** Time at which the session was ended early. */
  @Property({ type: 'timestamptz', nullable: true })
  endedAt!: Date | null;
}
