import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Tags } from '#core';
import { effectiveScopes, type Role, type Scope } from '../principals/scopes.js';

/** A stored access token: permissions and expiry, but only the hash of the secret. */
@Entity({ tableName: 'access_tokens', schema: 'governance' })
export class AccessToken {
  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  role!: Role;

  /** A subset of the role's scopes; null for all of them. */
  @Property({ type: 'text[]', nullable: true })
  scopes!: string[] | null;

  /** SHA-256 of the token. */
  @Property({ type: 'blob', lazy: true })
  tokenHash!: Buffer;

  /** The user to whom a personal token belongs. */
  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  /** The users who created the token, directly or through other credentials. */
  @Property({ type: 'text[]' })
  issuedBy!: string[];

  /** Whether one of the creating credentials belonged to no user, such as the operator's token. */
  @Property({ type: 'boolean' })
  issuedByNobody!: boolean;

  /** The id of the token that created this one; null if a sign-in or the operator created it. */
  @Property({ type: 'uuid', nullable: true })
  issuedByToken!: string | null;

  /**
   * Users who created the token and have therefore seen its secret. The token is refused while one of them has no
   * access.
   */
  @Property({ type: 'uuid[]' })
  endsWithUsers!: string[];

  /** The token is revoked together with any of these tokens. */
  @Property({ type: 'uuid[]' })
  endsWithTokens!: string[];

  /** Allowed model names or patterns; null for all. */
  @Property({ type: 'text[]', nullable: true })
  models!: string[] | null;

  /** Project of every request with this token. Overrides the request's own project. */
  @Property({ type: 'text', nullable: true })
  project!: string | null;

  /** Tags of requests with this token. They override the request's tags with the same keys. */
  @Property({ type: 'json', nullable: true })
  tags!: Tags | null;

  /** When the secret of the token was last replaced. */
  @Property({ type: 'timestamptz', nullable: true })
  rotatedAt!: Date | null;

  /** SHA-256 of the previous secret, and the time until which it is accepted. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  previousHash!: Buffer | null;

  @Property({ type: 'timestamptz', nullable: true })
  previousUntil!: Date | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  /** Null only for the token that the operator supplies at boot. */
  @Property({ type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  /** May be up to a minute old. */
  @Property({ type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** Scopes of the token. */
  grants(): Scope[] {
    return effectiveScopes(this.role, this.scopes);
  }
}
