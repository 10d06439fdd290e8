import { describe, expect, it } from '@jest/globals';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { SecretInside } from '../../../test/support/itsm/broken-forms.js';
import { BodyKeyDesk, DeclaringOtherValue } from '../../../test/support/itsm/other-bodies.js';
import { AdapterRegistry } from './adapter-registry.js';

describe('the registry of adapters', () => {
  it('finds an adapter by its kind', () => {
    const desk = new BodyKeyDesk();
    const registry = new AdapterRegistry([desk]);
    expect(registry.all).toEqual([desk]);
    expect(registry.named('acme_desk')).toBe(desk);
    expect(registry.named('acme')).toBeUndefined();
  });

  it.each([
    [
      'two have the same kind',
      [new AcmeDeskAdapter(), new BodyKeyDesk()],
      'itsmAdapters: "acme_desk" is claimed by AcmeDeskAdapter and BodyKeyDesk; change the kind of one of them',
    ],
    [
      'a secret is not a text',
      [new SecretInside()],
      'itsmAdapters: the secret proxy of SecretInside is not a text; give it the type string',
    ],
    [
      'bodySecrets contains a name that is not a secret',
      [new DeclaringOtherValue()],
      'itsmAdapters: DeclaringOtherValue has no secret api_tokne, which its bodySecrets name',
    ],
  ])('refuses adapters if %s', (_what, adapters, message) => {
    expect(() => new AdapterRegistry(adapters)).toThrow(message);
  });
});
