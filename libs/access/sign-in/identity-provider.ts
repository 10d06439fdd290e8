import type { Role } from '../principals/scopes.js';

/** An identity provider whose JWTs are accepted as bearer credentials. */
export interface IdentityProvider {
  /** Exact value of the `iss` claim. */
  issuer: string;
  /** Value that the `aud` claim must contain. */
  audience: string;
  /** Where the provider publishes its signing keys (RFC 7517). */
  jwksUri: string;
  /** Signature algorithms that are accepted, asymmetric ones only. Default: RS256, ES256, EdDSA. `none` and HMAC are never accepted. */
  algorithms?: readonly string[];
  /**
   * The organization of everybody who signs in here. Leave it out to read it from the claim `claims.organization`: the
   * provider can then name any organization, so do that only with a provider that all of them trust.
   */
  organizationId?: string;
  claims?: {
    /** Claim with the organization's UUID. Default: `org_id`. */
    organization?: string;
    /**
     * Claim with the user's e-mail address or UUID, read at the first sign-in of an account. Default: `email`.
     */
    user?: string;
    /** Claim with one role name or a list of them. Default: `role`. */
    role?: string;
  };
  /**
   * Takes the user's e-mail address or UUID for proven where a JWT has no claim `email_verified`: for a provider that does
   * not send it and lets nobody choose the value. With `email_verified: false` neither is ever proven. Default: false.
   */
  trustEmail?: boolean;
  /**
   * What becomes of an account that is no user's, such as that of a program: `accept` lets it in with its role, and without
   * a user. A person who can get a JWT without an e-mail address is then let in as nobody. Default: `refuse`.
   */
  unknownSubjects?: 'refuse' | 'accept';
  /** Value that the header `typ` must have, such as `at+jwt`, so that ID tokens are refused. Default: any. */
  tokenType?: string;
  /** What the provider's role names mean here; names that are missing give no access. Default: our own names. */
  roles?: Record<string, Role>;
}
