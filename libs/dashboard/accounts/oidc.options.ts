import { option } from '#core';
import { OIDC_PROVIDERS_RULE } from './oidc-providers-rule.js';
import type { OidcProvider } from './oidc-provider.js';

/**
 * Options for signing in to the dashboard with an account at an identity provider. Requires the dashboard option
 * `sessions`.
 */
export interface OidcOptions {
  /** OpenID Connect providers at which people sign in to the dashboard. Default: none. */
  providers?: readonly OidcProvider[];
  /** Client secret of the providers that have none of their own. Default: none. */
  clientSecret?: string;
  /**
   * Public URL of the dashboard, such as `https://governance.example.com`. After a sign-in, providers redirect browsers
   * to URLs below it. Default: `devices.publicUrl`.
   */
  publicUrl?: string;
}

/** Validation rules of the options. */
export const OIDC_RULES = {
  providers: OIDC_PROVIDERS_RULE,
  clientSecret: option.text(),
  publicUrl: option.webAddress(),
} satisfies option.RulesOf<OidcOptions>;

/** Injection token of {@link OidcOptions}. */
export const OIDC_OPTIONS = Symbol('governance.oidc-options');
