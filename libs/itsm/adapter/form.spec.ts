import { describe, expect, it } from '@jest/globals';
import { formFaults } from '../connectors/form-check.js';
import * as form from './form.js';

const faultsOf = (url: string, path: boolean): string[] => {
  const schema = { type: 'object', properties: { url: form.url({ title: 'Address', path }) } };
  return formFaults(schema, { url }, 'settings').map(({ message }) => message);
};

describe('an address setting', () => {
  it.each(['https://acme.example', 'https://acme.example/', 'https://acme.example:8443', 'https://[::1]:8443'])(
    'may be %s',
    url => {
      expect([faultsOf(url, false), faultsOf(url, true)]).toEqual([[], []]);
    },
  );

  it('may have a path only if that is allowed', () => {
    expect(faultsOf('https://acme.example/a/b', true)).toEqual([]);
    expect(faultsOf('https://acme.example/a', false)).toHaveLength(1);
  });

  it.each([
    ...['https://127.0.0.1:99999', 'https://[::1', 'https://%00', 'https://a|b', 'https://<x>', 'https://a:b:c'],
    ...['https:///x', 'https://', 'https://a b', 'https://a\tb', 'https://a\n', 'https://\\evil', 'https://a\\@b'],
    ...['http://acme.example', 'ftp://acme.example', 'acme.example', 'https://me:pw@acme.example', 'https://a/?q'],
    ...['https://a/#b', `https://${'a'.repeat(500)}.example`, ''],
  ])('may not be %j, which causes one error', url => {
    expect(faultsOf(url, false)).toHaveLength(1);
    expect(faultsOf(url, true)).toHaveLength(1);
  });

  it('describes the expected address', () => {
    expect(faultsOf('https://127.0.0.1:99999', true)).toEqual(['must be an address such as https://host.example']);
  });
});

describe('a setting that maps states to statuses', () => {
  const faultsOf = (statuses: Record<string, string>): string[] => {
    const schema = { type: 'object', properties: { statuses: form.statuses('By number.', '^[0-9]+$') } };
    return formFaults(schema, { statuses }, 'settings').map(({ message }) => message);
  };

  it('accepts states that match the pattern, with a status each', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ '6': 'closed', '12': 'in_progress' })).toEqual([]);
  });

  it('refuses other states, and invalid statuses', () => {
    expect(faultsOf({ six: 'closed' })).toHaveLength(1);
    expect(faultsOf({ '6': 'done' })).toHaveLength(1);
  });
});
