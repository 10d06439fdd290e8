import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../apps/standalone/config.js';
import { OidcProviders } from '../../libs/dashboard/accounts/oidc-providers.js';
import { JwtVerifier } from '../../libs/access/sign-in/jwt-verifier.js';
import { ManualClock } from '../support/manual-clock.js';
import { blocksOf } from './markdown.js';

describe('the identity providers that docs/operate.md shows', () => {
  const block = blocksOf('docs/operate.md').find(({ marks }) => marks[0] === 'providers');
  const providersIn = (text: string) =>
    readConfig({
      DATABASE_URL: 'postgres://localhost/x',
      GOVERNANCE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      GOVERNANCE_IDENTITY_PROVIDERS: text,
    }).options.identityProviders ?? [];

  it('are accepted at boot with every setting they name', () => {
    const identityProviders = providersIn(block?.code ?? '');
    expect(identityProviders).toMatchObject([{ tokenType: 'at+jwt' }]);
    expect(() => new JwtVerifier({ identityProviders }, new ManualClock())).not.toThrow();
  });

  it.each([
    ['trustEmail', 'yes'],
    ['unknownSubjects', 'evaluate'],
    ['tokenType', 7],
  ])('are refused at boot when %s is %j', (field, value) => {
    const [provider] = JSON.parse(block?.code ?? '[]');
    const read = () => providersIn(JSON.stringify([{ ...provider, [field]: value }]));
    expect(read).toThrow(`GOVERNANCE_IDENTITY_PROVIDERS[0].${field}: `);
  });
});

describe('the identity provider that docs/dashboard.md shows', () => {
  const block = blocksOf('docs/dashboard.md').find(({ marks }) => marks[0] === 'oidc');

  it('is accepted at boot with every setting it names, with the public address and the secret of the environment', () => {
    const { options } = readConfig({
      DATABASE_URL: 'postgres://localhost/x',
      GOVERNANCE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      GOVERNANCE_OIDC_PROVIDERS: block?.code ?? '',
      GOVERNANCE_OIDC_CLIENT_SECRET: 'a secret',
      GOVERNANCE_OIDC_PUBLIC_URL: 'https://governance.example.com/tools',
    });
    const providers = new OidcProviders(options.oidc ?? {});
    expect(providers.all).toMatchObject([{ id: 'okta', clientSecret: 'a secret', defaultRole: 'member' }]);
    expect(providers.callback('okta').href).toBe('https://governance.example.com/tools/session/oidc/okta/callback');
  });

  it.each([
    ['id', 'Okta'],
    ['issuer', 'http://example.okta.com'],
    ['scopes', 'email profile'],
    ['clockToleranceSeconds', 301],
    ['clientId', undefined],
  ])('is refused at boot when %s is %j', (field, value) => {
    const [provider] = JSON.parse(block?.code ?? '[]');
    const text = JSON.stringify([{ ...provider, [field]: value }]);
    const read = () => readConfig({ DATABASE_URL: 'postgres://localhost/x', GOVERNANCE_OIDC_PROVIDERS: text });
    expect(read).toThrow(`GOVERNANCE_OIDC_PROVIDERS[0].${field}: `);
  });
});
