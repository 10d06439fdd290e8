import type { Role } from '#access';

/** The sign-in data that a session stores: the account and its roles at that time, without tokens. */
export interface OidcIdentity {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Roles from the provider's claim. Empty if the role comes from the user directory. */
  readonly roles: readonly Role[];
}
