import type { Role } from '#access';

/** An OpenID Connect provider at which people sign in to the dashboard. */
export interface OidcProvider {
  /**
   * Identifies the provider in URLs: lower-case letters, digits and hyphens, such as `okta`. Do not change it later.
   */
  id: string;
  /** Name on the button: "Sign in with Okta". */
  name: string;
  /**
   * Exact value of the issuer. The provider publishes its metadata below this URL, at
   * `/.well-known/openid-configuration`.
   */
  issuer: string;
  /** Client id with which the dashboard is registered at the provider. */
  clientId: string;
  /**
   * The dashboard's client secret at this provider. Default: the option `clientSecret` next to the list. Without a
   * secret, the dashboard is a public client, protected by PKCE.
   */
  clientSecret?: string;
  /**
   * The organization of all people who sign in with this provider. If it is missing, the claim `claims.organization`
   * determines the organization. The provider can then name any organization, so all organizations must trust it.
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
   * Whether to trust the user's e-mail address or UUID if there is no claim `email_verified`, or if `claims.user` is
   * another claim than `email`. Enable it for a provider that does not let users choose the value. If the claims
   * contain `email_verified: false`, the value is never trusted. Default: false.
   */
  trustEmail?: boolean;
  /**
   * Maps role or group names of the provider to roles of this package. Other names give no access. Default: this
   * package's role names.
   */
  roles?: Record<string, Role>;
  /**
   * The source of the role name. `claim`: `claims.role` at the sign-in. `user`: the role of the user in the directory,
   * with each request. Default: `claim`.
   */
  roleFrom?: 'claim' | 'user';
  /** Role of known users whose role or group names map to no role. Default: none; these users are refused. */
  defaultRole?: Role;
  /** OAuth scopes to request, separated by spaces. Must contain `openid`. Default: `openid email profile`. */
  scopes?: string;
  /**
   * What the provider shows at each sign-in: `login` for a new sign-in, `select_account` or `consent`. Default: the
   * provider's choice.
   */
  prompt?: 'login' | 'select_account' | 'consent';
  /** Seconds by which the clocks of the provider and this service may differ, from 0 to 300. Default: 30. */
  clockToleranceSeconds?: number;
  /**
   * Sessions that end when a person signs out. `provider`: also the session at the provider, if the provider publishes
   * an `end_session_endpoint`. `dashboard`: only the session of the dashboard. Default: `provider`.
   */
  signOut?: 'provider' | 'dashboard';
}
