import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../apps/standalone/config.js';
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
