import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Tags } from '#core';
import { effectiveScopes, type Role, type Scope } from '../principals/scopes.js';

/** An access token as it is kept: what it may do and until when, never the token itself. */
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

  /** A narrower choice from the role's scopes; null is all of them. */
  @Property({ type: 'text[]', nullable: true })
  scopes!: string[] | null;

  /** SHA-256 of the token. */
  @Property({ type: 'blob', lazy: true })
  tokenHash!: Buffer;

  /** The user whose token this is, where it is a person's. */
  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  /** The people behind the credential with which it was made, and behind the one with which that was made. */
  @Property({ type: 'text[]' })
  issuedBy!: string[];

  /** Whether one of those credentials had no person behind it, such as the operator's token. */
  @Property({ type: 'boolean' })
  issuedByNobody!: boolean;

  /** The token with which it was made; null where it was made by a sign-in or by the operator. */
  @Property({ type: 'uuid', nullable: true })
  issuedByToken!: string | null;

  /** People beside its user without whose access it is refused: those who made it and have seen it. */
  @Property({ type: 'uuid[]' })
  endsWithUsers!: string[];

  /** Tokens with which it ends for good. */
  @Property({ type: 'uuid[]' })
  endsWithTokens!: string[];

  /** Names of models or patterns that may be asked for; null is all. */
  @Property({ type: 'text[]', nullable: true })
  models!: string[] | null;

  /** Project of every request with this token. Overrides the project that a request names. */
  @Property({ type: 'text', nullable: true })
  project!: string | null;

  /** Labels of requests with this token. They override labels of the request with the same keys. */
  @Property({ type: 'json', nullable: true })
  tags!: Tags | null;

  /** When its secret was last replaced. */
  @Property({ type: 'timestamptz', nullable: true })
  rotatedAt!: Date | null;

  /** SHA-256 of the secret before, and until when that is accepted. */
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
