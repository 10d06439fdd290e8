import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A browser session as it is kept: whose credential it stands for and until when, never its secret. */
@Entity({ tableName: 'dashboard_sessions', schema: 'governance' })
export class DashboardSession {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** SHA-256 of what the cookie holds. */
  @Property({ type: 'blob', lazy: true })
  secretHash!: Buffer;

  /** The access token that it was made from; null for an account at an identity provider. */
  @Property({ type: 'uuid', nullable: true })
  tokenId!: string | null;

  /** What the identity provider said at the sign-in; null for an access token. */
  @Property({ type: 'json', nullable: true, lazy: true })
  identity!: object | null;

  /** Id of the token, or `<issuer>#<subject>`. */
  @Property({ type: 'text' })
  credentialId!: string;

  /** Name of the token or the person at the sign-in. */
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

  /** At most 30 seconds behind. */
  @Property({ type: 'timestamptz' })
  lastInputAt!: Date;

  /** When it ends whatever is done in it. */
  @Property({ type: 'timestamptz' })
  expiresAt!: Date;

  /** When it was ended before its time. */
  @Property({ type: 'timestamptz', nullable: true })
  endedAt!: Date | null;
}
