import type { Tags } from '#core';
import type { Scope } from './scopes.js';

/** What can act: people and programs with a credential, devices, people in a chat, and connected ticket platforms. */
export const PRINCIPAL_KINDS = ['token', 'jwt', 'host', 'cli', 'device', 'chat', 'connector'] as const;

/** The caller behind an accepted credential. */
export interface Principal {
  orgId: string;
  /** What kind of credential it was, or what acted without one. */
  kind: (typeof PRINCIPAL_KINDS)[number];
  /** The token's or the subject's identifier; never a secret. */
  id: string;
  /** For people reading the audit log. */
  name: string;
  scopes: ReadonlySet<Scope>;
  /** The user of the organization behind the credential, where there is one. */
  userId?: string;
  /**
   * The people behind the credentials with which this one was made, the last first: ids of users, and subjects of those
   * whom the directory does not know. Whoever made a credential may be the one who uses it.
   */
  issuedBy?: readonly string[];
  /**
   * Whether nobody stood behind one of the credentials with which this one was made, at any distance. Then `userId` says
   * whose it is meant to be and proves nothing.
   */
  issuedByNobody?: boolean;
  /** Bounds that an access token sets for its requests; missing if it sets none. */
  token?: TokenBounds;
}

/** Bounds that an access token sets for its requests. */
export interface TokenBounds {
  /** Names of models or patterns with `*`; null where every model may be asked for. */
  readonly models: readonly string[] | null;
  /** Stands over the project of a request. */
  readonly project: string | null;
  /** Stand over the tags of a request, key by key. */
  readonly tags: Tags | null;
}

/** Whether a user of the organization is behind the credential: one who signed in, or for whom a person vouched. */
export function isPerson({ userId, issuedByNobody = false }: Principal): boolean {
  return userId !== undefined && !issuedByNobody;
}

/** A principal and where the request came from: what the audit log needs to know. */
export interface Actor extends Principal {
  /** Address of the client, proxies that are trusted taken into account. */
  address: string | null;
  requestId: string | null;
}
