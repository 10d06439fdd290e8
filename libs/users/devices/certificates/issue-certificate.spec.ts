import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSsl, type OpenSsl } from '../../../../test/support/openssl.js';
import { issueCertificate, makeAuthority, type Signer } from './issue-certificate.js';
import { pemOf } from './pem.js';
import { newSerialNumber } from './serial-number.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const DEVICE = '0199c2a8-a571-7f6e-9b28-0c4d81e3f659';
const NOT_BEFORE = new Date('2026-11-20T12:00:00Z');
const NOT_AFTER = new Date('2027-12-22T12:00:00Z');

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spkiOf = ({ publicKey }: ReturnType<typeof keyPair>) => publicKey.export({ type: 'spki', format: 'der' });

describe('certificates, as openssl reads them', () => {
  let ssl: OpenSsl;
  let signer: Signer;

  beforeAll(async () => {
    ssl = openSsl();
    const notAfter = new Date('2060-01-01T00:00:00Z');
    signer = await makeAuthority(ORG, 2, { serialNumber: newSerialNumber(), notBefore: NOT_BEFORE, notAfter });
    ssl.write('ca.pem', pemOf('CERTIFICATE', signer.certificate));
  });

  afterAll(() => ssl?.remove());

  async function textOf(change: Partial<Parameters<typeof issueCertificate>[1]> = {}): Promise<string> {
    const der = await issueCertificate(signer, {
      deviceId: DEVICE,
      spki: spkiOf(keyPair()),
      serialNumber: newSerialNumber(),
      notBefore: NOT_BEFORE,
      notAfter: NOT_AFTER,
      revocationListUrl: undefined,
      ...change,
    });
    ssl.write('device.pem', pemOf('CERTIFICATE', der));
    return ssl.run('x509', '-in', 'device.pem', '-noout', '-text');
  }

  it('make an authority that can sign devices and lists, but no sub-authority', () => {
    const text = ssl.run('x509', '-in', 'ca.pem', '-noout', '-text');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    expect(text).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/);
    expect(text).toContain(`O = ${ORG}, CN = Device authority 2`);
    expect(text).toContain('NIST CURVE: P-256');
    expect(text).toContain('Not After : Jan  1 00:00:00 2060 GMT');
    expect(ssl.attempt('verify', '-x509_strict', '-CAfile', 'ca.pem', 'ca.pem').code).toBe(0);
  });

  it('name the device, are for clients only, and identify the signing key', async () => {
    const text = await textOf();
    expect(text).toContain(`Subject: CN = ${DEVICE}`);
    expect(text).toContain(`Issuer: O = ${ORG}, CN = Device authority 2`);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    expect(text).toMatch(/Extended Key Usage: \s+TLS Web Client Authentication\n/);
    expect(text).toContain(`URI:urn:uuid:${DEVICE}`);
    expect(text).toContain('Not Before: Nov 20 12:00:00 2026 GMT');
    expect(text).toContain('Not After : Dec 22 12:00:00 2027 GMT');
    expect(text).toContain('ecdsa-with-SHA256');
    expect(text).not.toContain('CRL Distribution');
    const [, authority] = /Authority Key Identifier: \s+([0-9A-F:]+)/.exec(text) ?? [];
    expect(ssl.run('x509', '-in', 'ca.pem', '-noout', '-ext', 'subjectKeyIdentifier')).toContain(authority);
    const verified = ssl.attempt('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', 'ca.pem', 'device.pem');
    expect(verified).toEqual({ code: 0, text: 'device.pem: OK\n' });
  });

  it('contain the address of the revocation list, if it is known', async () => {
    expect(await textOf({ revocationListUrl: 'https://governance.example.com/crl' })).toMatch(
      /CRL Distribution Points: \s+Full Name:\s+URI:https:\/\/governance\.example\.com\/crl/,
    );
  });

  it('are valid only for clients', async () => {
    await textOf();
    const verified = ssl.attempt('verify', '-purpose', 'sslserver', '-CAfile', 'ca.pem', 'device.pem');
    expect(verified.text).toContain('unsuitable certificate purpose');
  });
});

describe('serial numbers', () => {
  it('are 16 random bytes, positive and of the same length', () => {
    expect(newSerialNumber(Buffer.alloc(16, 0xff))).toBe(`7f${'ff'.repeat(15)}`);
    expect(newSerialNumber(Buffer.alloc(16, 0))).toBe(`40${'00'.repeat(15)}`);
    const made = new Set(Array.from({ length: 1000 }, () => newSerialNumber()));
    expect(made.size).toBe(1000);
  });
});
