import type { Role } from '#access';

/** The data of a sign-in that a session keeps: the account and its roles at that time, without tokens. */
export interface OidcIdentity {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Empty if the role comes from the user directory. */
  readonly roles: readonly Role[];
}
