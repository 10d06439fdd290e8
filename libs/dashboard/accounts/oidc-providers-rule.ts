import { ROLES } from '#access';
import { isUuid, option } from '#core';
import { isLoopbackName } from '../loopback.js';
import type { OidcProvider } from './oidc-provider.js';

const FIELDS = option.section({
  id: option.required(
    option.rule(isId, 'must be 1 to 32 lower-case letters, digits and hyphens, such as okta'),
    'Set it to a short name for addresses, such as okta',
  ),
  name: option.required(option.text(), 'Set it to the name on the button, such as Okta'),
  issuer: option.required(
    option.rule(isIssuer, 'must be an https URL without query and fragment (http only on this machine)'),
    'Set it to the exact issuer of the provider',
  ),
  clientId: option.required(option.text(), 'Set it to the client id from the provider'),
  clientSecret: option.text(),
  organizationId: option.rule(isUuid, 'must be the UUID of an organization'),
  claims: option.section({ organization: option.text(), user: option.text(), role: option.text() }),
  trustEmail: option.flag(),
  roles: option.record(option.choice(ROLES)),
  roleFrom: option.choice(['claim', 'user']),
  defaultRole: option.choice(ROLES),
  scopes: option.rule(hasOpenId, 'must be scopes separated by spaces, with openid among them'),
  prompt: option.choice(['login', 'select_account', 'consent']),
  clockToleranceSeconds: option.whole(0, 300),
  signOut: option.choice(['provider', 'dashboard']),
} satisfies option.RulesOf<OidcProvider>);

const PROVIDERS = option.list(FIELDS);

/** Rule of the option `oidc.providers`. */
export const OIDC_PROVIDERS_RULE: option.OptionRule = {
  format: 'json',
  faults: (value, path, known) => {
    const faults = PROVIDERS.faults(value, path, known);
    if (faults.length > 0 || !Array.isArray(value)) return faults;
    const ids = value.map((each: unknown) => String(Reflect.get(Object(each), 'id')));
    return new Set(ids).size === ids.length ? [] : [`${path}: two entries share one id; give each its own`];
  },
};

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z0-9-]{1,32}$/.test(value);
}

/**
 * An attacker who can change responses could sign in as any user. Only a provider on this machine may be used without
 * TLS.
 */
function isIssuer(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackName(url.host));
}

function hasOpenId(value: unknown): boolean {
  return typeof value === 'string' && value.split(' ').includes('openid');
}
