import type { Role } from '../principals/scopes.js';

/** An identity provider whose JWTs are accepted as bearer credentials. */
export interface IdentityProvider {
  /** Exact value of the `iss` claim. */
  issuer: string;
  /** Value that the `aud` claim must contain. */
  audience: string;
  /** URL of the provider's signing keys (RFC 7517). */
  jwksUri: string;
  /**
   * Accepted signature algorithms, asymmetric ones only. Default: RS256, ES256, EdDSA. `none` and HMAC are never
   * accepted.
   */
  algorithms?: readonly string[];
  /**
   * The organization of all users of this provider. If it is missing, the claim `claims.organization` determines the
   * organization. The provider can then name any organization, so all organizations must trust it.
   */
  organizationId?: string;
  claims?: {
    /** Claim with the organization's UUID. Default: `org_id`. */
    organization?: string;
    /** Claim with the user's e-mail address or UUID, used at the first sign-in of an account. Default: `email`. */
    user?: string;
    /** Claim with one role name or a list of them. Default: `role`. */
    role?: string;
  };
  /**
   * Whether to trust the user's e-mail address or UUID if a JWT has no claim `email_verified`. Enable it for a provider
   * that does not send the claim and does not let users choose the value. If a JWT contains `email_verified: false`,
   * the value is never trusted. Default: false.
   */
  trustEmail?: boolean;
  /**
   * What happens to an account that belongs to no user of the directory, such as a program's account. `accept` admits
   * it with its role, without a user. This includes people whose JWT has no e-mail address. Default: `refuse`.
   */
  unknownSubjects?: 'refuse' | 'accept';
  /** Required value of the header `typ`, such as `at+jwt` to refuse ID tokens. Default: any. */
  tokenType?: string;
  /** Maps the provider's role names to ours; other names give no access. Default: our own names. */
  roles?: Record<string, Role>;
}
