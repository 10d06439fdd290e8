import { describe, expect, it } from '@jest/globals';
import { untrustedProxyWarning } from './untrusted-proxy.js';

describe('the warning of a proxy that is not trusted', () => {
  it('names the variable when the app is reached over TLS and no proxy is trusted', () => {
    expect(untrustedProxyWarning('https://governance.example.com', [])).toContain('GOVERNANCE_TRUSTED_PROXIES');
  });

  it.each([
    ['https://governance.example.com', ['10.0.0.5']],
    ['http://governance.example.com', []],
    [undefined, []],
  ])('is not given for %s behind %j', (publicUrl, trusted) => {
    expect(untrustedProxyWarning(publicUrl, trusted)).toBeUndefined();
  });
});
