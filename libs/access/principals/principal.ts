import type { Tags } from '#core';
import type { Scope } from './scopes.js';

/** Kinds of actors: users and programs with a credential, devices, chat users, and connected ticket platforms. */
export const PRINCIPAL_KINDS = ['token', 'jwt', 'host', 'cli', 'device', 'chat', 'connector'] as const;

/** The caller that an accepted credential identifies. */
export interface Principal {
  orgId: string;
  /** Kind of the credential. Actors without a credential have a kind of their own. */
  kind: (typeof PRINCIPAL_KINDS)[number];
  /** Id of the token or subject; never a secret. */
  id: string;
  /** Display name for the audit log. */
  name: string;
  scopes: ReadonlySet<Scope>;
  /** The user of the organization to whom the credential belongs, if any. */
  userId?: string;
  /**
   * The users who created the credential, directly or through other credentials, the most recent first. Contains user
   * ids, and subjects that the directory does not know. The creator of a credential has seen its secret and may use it.
   */
  issuedBy?: readonly string[];
  /**
   * Whether one of the credentials in the chain of creators belonged to no user. If so, `userId` only states for whom
   * the credential was created, and does not prove who uses it.
   */
  issuedByNobody?: boolean;
  /** Restrictions of the access token; undefined if it has none. */
  token?: TokenBounds;
}

/** Restrictions that an access token imposes on requests. */
export interface TokenBounds {
  /** Model names or patterns with `*`; null allows every model. */
  readonly models: readonly string[] | null;
  /** Overrides the project of a request. */
  readonly project: string | null;
  /** Override the tags of a request, key by key. */
  readonly tags: Tags | null;
}

/** Whether the actor is proven to be a user. True for a user who signed in, and for a token that a user created. */
export function isPerson({ userId, issuedByNobody = false }: Principal): boolean {
  return userId !== undefined && !issuedByNobody;
}

/** A principal, with the address and id of its request. */
export interface Actor extends Principal {
  /** Address of the client, resolved through trusted proxies. */
  address: string | null;
  requestId: string | null;
}
