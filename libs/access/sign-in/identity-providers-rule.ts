import { option } from '#core';
import { checkProvider } from './check-provider.js';
import type { IdentityProvider } from './identity-provider.js';
import { ROLES } from '../principals/scopes.js';

const FIELDS = option.section({
  issuer: option.required(option.text(), 'Set it to the exact value of the claim `iss`'),
  audience: option.required(option.text(), 'Set it to the value that the claim `aud` must contain'),
  jwksUri: option.required(option.text(), 'Set it to the https URL of the keys of the provider'),
  algorithms: option.list(option.text()),
  organizationId: option.text(),
  claims: option.section({ organization: option.text(), user: option.text(), role: option.text() }),
  trustEmail: option.flag(),
  unknownSubjects: option.choice(['refuse', 'accept']),
  tokenType: option.text(),
  roles: option.record(option.choice(ROLES)),
} satisfies option.RulesOf<IdentityProvider>);

// Checks presence and types of the fields; `checkProvider` checks their values.
const PROVIDER: option.OptionRule = {
  faults: (value, path, known) => {
    const faults = FIELDS.faults(value, path, known);
    if (faults.length > 0) return faults;
    return option.readable(isProvider, 'an object', checkProvider).faults(value, path, known);
  },
};

const PROVIDERS = option.list(PROVIDER);

/** Rule of the option `identityProviders`. */
export const IDENTITY_PROVIDERS_RULE: option.OptionRule = {
  format: 'json',
  faults: (value, path, known) => {
    const faults = PROVIDERS.faults(value, path, known);
    if (faults.length > 0 || !Array.isArray(value)) return faults;
    const issuers = value.filter(isProvider).map(({ issuer }) => issuer);
    return new Set(issuers).size === issuers.length
      ? []
      : [`${path}: two entries share one issuer; give each issuer one entry`];
  },
};

function isProvider(value: unknown): value is IdentityProvider {
  return typeof value === 'object' && value !== null && 'issuer' in value;
}
