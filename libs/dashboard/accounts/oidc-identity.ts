import type { Role } from '#access';

/** What a session keeps of a sign-in: the account and its roles at that time, no token. */
export interface OidcIdentity {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Empty where the role comes from the user in the directory. */
  readonly roles: readonly Role[];
}
