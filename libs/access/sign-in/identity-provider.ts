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
   * The organization of all users of this provider. Without it, the claim `claims.organization` decides. Such a
   * provider can name any organization, so all of them must trust it.
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
   * Trusts the user's e-mail address or UUID if a JWT has no claim `email_verified`. Use it for a provider that does
   * not send the claim and does not let users choose the value. With `email_verified: false`, the value is never
   * trusted. Default: false.
   */
  trustEmail?: boolean;
  /**
   * What happens to an account without a user, such as a program's: `accept` admits it with its role, without a user.
   * Then people whose JWT has no e-mail address are admitted too, without a user. Default: `refuse`.
   */
  unknownSubjects?: 'refuse' | 'accept';
  /** Required value of the header `typ`, such as `at+jwt` to refuse ID tokens. Default: any. */
  tokenType?: string;
  /** Maps the provider's role names to ours; other names give no access. Default: our own names. */
  roles?: Record<string, Role>;
}
