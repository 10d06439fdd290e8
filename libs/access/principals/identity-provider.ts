import type { Role } from './scopes.js';

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
    /** Claim with the user's e-mail address or UUID. Default: `email`. */
    user?: string;
    /** Claim with one role name or a list of them. Default: `role`. */
    role?: string;
  };
  /** What the provider's role names mean here; names that are missing give no access. Default: our own names. */
  roles?: Record<string, Role>;
}
