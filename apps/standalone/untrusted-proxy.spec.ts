import { describe, expect, it } from '@jest/globals';
import { untrustedProxyWarning } from './untrusted-proxy.js';

describe('the warning about an untrusted proxy', () => {
  it.each([
    'https://governance.example.com',
    'http://governance.internal:8080',
    'http://10.0.0.4',
    'https://127.0.0.1',
  ])('names the variable and the secret if the app is reached at %s and no proxy is trusted', publicUrl => {
    const warning = untrustedProxyWarning(publicUrl, []);
    expect(warning).toContain('GOVERNANCE_TRUSTED_PROXIES');
    expect(warning).toContain('report_secret');
  });

  it.each([
    ['https://governance.example.com', ['10.0.0.5']],
    ['http://governance.example.com', ['10.0.0.5']],
    ['http://127.0.0.1:3000', []],
    ['http://localhost:3000', []],
    ['http://[::1]:3000', []],
    [undefined, []],
  ])('is not shown for %s behind %j', (publicUrl, trusted) => {
    expect(untrustedProxyWarning(publicUrl, trusted)).toBeUndefined();
  });
});
