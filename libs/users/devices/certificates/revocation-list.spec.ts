import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSsl, type OpenSsl } from '../../../../test/support/openssl.js';
import { makeAuthority, type Signer } from './issue-certificate.js';
import { pemOf } from './pem.js';
import { makeRevocationList, REVOCATION_CODES, type RevokedCertificate } from './revocation-list.js';
import { newSerialNumber } from './serial-number.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const TOMORROW = new Date('2026-11-21T12:00:00Z');

describe('a revocation list, as openssl reads it', () => {
  let ssl: OpenSsl;
  let signer: Signer;

  beforeAll(async () => {
    ssl = openSsl();
    const terms = { serialNumber: newSerialNumber(), notBefore: NOW, notAfter: new Date('2036-11-20T12:00:00Z') };
    signer = await makeAuthority('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60', 1, terms);
    ssl.write('ca.pem', pemOf('CERTIFICATE', signer.certificate));
  });

  afterAll(() => ssl?.remove());

  function textOf(revoked: readonly RevokedCertificate[], number = 1, nextUpdate = TOMORROW): string {
    const list = makeRevocationList(signer, { number, thisUpdate: NOW, nextUpdate, revoked });
    ssl.write('list.pem', pemOf('X509 CRL', list));
    const { code, text } = ssl.attempt('crl', '-in', 'list.pem', '-CAfile', 'ca.pem', '-noout', '-text');
    expect({ code, ok: text.includes('verify OK') }).toEqual({ code: 0, ok: true });
    return text;
  }

  it('is signed by the authority, numbered and dated', () => {
    const text = textOf([], 300);
    expect(text).toContain('Version 2 (0x1)');
    expect(text).toContain('CN = Device authority 1');
    expect(text).toContain('Last Update: Nov 20 12:00:00 2026 GMT');
    expect(text).toContain('Next Update: Nov 21 12:00:00 2026 GMT');
    expect(text).toMatch(/X509v3 CRL Number: \s+300\n/);
    expect(text).toContain('No Revoked Certificates.');
    expect(text).toContain('X509v3 Authority Key Identifier');
    expect(textOf([], 255)).toMatch(/X509v3 CRL Number: \s+255\n/);
  });

  it('encodes times from 2050 on as required', () => {
    expect(textOf([], 1, new Date('2050-01-01T00:00:00Z'))).toContain('Next Update: Jan  1 00:00:00 2050 GMT');
  });

  it.each([
    ['unspecified', null],
    ['key_compromise', 'Key Compromise'],
    ['affiliation_changed', 'Affiliation Changed'],
    ['superseded', 'Superseded'],
    ['cessation_of_operation', 'Cessation Of Operation'],
    ['privilege_withdrawn', 'Privilege Withdrawn'],
  ] as const)('has the reason %s as openssl names it', (code, words) => {
    const text = textOf([{ serialNumber: '5e3a0c41d29b7f10', revokedAt: NOW, code }]);
    expect(text).toMatch(/Serial Number: 5E3A0C41D29B7F10\s+Revocation Date: Nov 20 12:00:00 2026 GMT/);
    if (words === null) expect(text).not.toContain('CRL Reason Code');
    else expect(text).toMatch(new RegExp(`CRL Reason Code: \\s+${words}`));
  });

  it('supports tens of thousands of entries, in linear time', () => {
    const codes = Object.keys(REVOCATION_CODES) as RevokedCertificate['code'][];
    const revoked = Array.from({ length: 20_000 }, (_, at) => ({
      serialNumber: newSerialNumber(),
      revokedAt: NOW,
      code: codes[at % codes.length] ?? 'unspecified',
    }));
    const content = { number: 1, thisUpdate: NOW, nextUpdate: TOMORROW };
    // Measures the best of three runs, which reduces the influence of other load on the machine.
    const timeFor = (count: number): number => {
      const times = [1, 2, 3].map(() => {
        const before = performance.now();
        makeRevocationList(signer, { ...content, revoked: revoked.slice(0, count) });
        return performance.now() - before;
      });
      return Math.min(...times);
    };
    timeFor(2_000);
    // If the time is linear, ten times as many entries take ten times as long; if it is quadratic, a hundred times.
    expect(timeFor(20_000) / timeFor(2_000)).toBeLessThan(40);
    expect(textOf(revoked).match(/Serial Number: /g)).toHaveLength(20_000);
  });
});
