import { describe, expect, it } from '@jest/globals';
import { plainHttpWarning } from './plain-http.js';

describe('the warning about plain HTTP', () => {
  it.each(['0.0.0.0', '::', '10.1.2.3', '192.168.0.7', 'fd00::7', 'governance.internal', '::ffff:10.0.0.1'])(
    'names the setting if the app listens on %s',
    host => {
      const warning = plainHttpWarning(host, undefined);
      expect(warning).toContain(`HOST=${host}`);
      expect(warning).toContain('GOVERNANCE_PUBLIC_URL=https://');
    },
  );

  it.each(['127.0.0.1', '127.0.0.53', '::1', 'localhost', '::ffff:127.0.0.1'])(
    'is not shown if the app listens on %s',
    host => {
      expect(plainHttpWarning(host, undefined)).toBeUndefined();
    },
  );

  it('is hidden by a public URL only if it is https', () => {
    expect(plainHttpWarning('0.0.0.0', 'https://governance.example.com')).toBeUndefined();
    expect(plainHttpWarning('0.0.0.0', 'http://governance.example.com')).toContain('plain HTTP');
  });
});
