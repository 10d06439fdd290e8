import type { Role } from '#access';

/** An OpenID Connect provider at which people sign in to the dashboard. */
export interface OidcProvider {
  /** Names the provider in addresses: lower-case letters, digits and hyphens, such as `okta`. Do not change it later. */
  id: string;
  /** Name on the button: "Sign in with Okta". */
  name: string;
  /** Exact issuer. The provider publishes its metadata below it, at `/.well-known/openid-configuration`. */
  issuer: string;
  /** Client id with which the dashboard is registered at the provider. */
  clientId: string;
  /** Default: `clientSecret` beside the list. Without one, the dashboard is a public client, which PKCE protects. */
  clientSecret?: string;
  /**
   * The organization of everybody who signs in here. Leave it out to read it from the claim `claims.organization`: the
   * provider can then name any organization, so do that only with a provider that all of them trust.
   */
  organizationId?: string;
  claims?: {
    /** Claim with the organization's UUID. Default: `org_id`. */
    organization?: string;
    /** Claim with the user's e-mail address or UUID, read at the first sign-in of an account. Default: `email`. */
    user?: string;
    /** Claim with one role or group name or a list of them. Default: `role`. */
    role?: string;
  };
  /**
   * Trusts the user's e-mail address or UUID if there is no claim `email_verified`, or if `claims.user` is another
   * claim than `email`. Use it for a provider that does not let users choose the value. With `email_verified: false`,
   * the value is never trusted. Default: false.
   */
  trustEmail?: boolean;
  /** What role or group names mean here. Names that are missing give no access. Default: our own role names. */
  roles?: Record<string, Role>;
  /**
   * The source of the role name. `claim`: `claims.role` at the sign-in. `user`: the role of the user in the directory,
   * with each request. Default: `claim`.
   */
  roleFrom?: 'claim' | 'user';
  /** Role of known users to whom no name gives one. Default: none; they are refused. */
  defaultRole?: Role;
  /** Scopes to ask for, separated by spaces, with `openid` among them. Default: `openid email profile`. */
  scopes?: string;
  /**
   * What the provider shows at each sign-in: `login` for a new sign-in, `select_account` or `consent`. Default: the
   * provider's choice.
   */
  prompt?: 'login' | 'select_account' | 'consent';
  /** Seconds by which the clocks of the provider and this service may differ, from 0 to 300. Default: 30. */
  clockToleranceSeconds?: number;
  /**
   * Sessions that signing out ends. `provider`: also the session at the provider, if it publishes an
   * `end_session_endpoint`. `dashboard`: only the session here. Default: `provider`.
   */
  signOut?: 'provider' | 'dashboard';
}
