import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSsl, type OpenSsl } from '../../../../test/support/openssl.js';
import { readCertificateRequest } from './certificate-request.js';
import { derOfRequest, REQUEST_MAX_LENGTH } from './pem.js';

const rsa = (bits: number, ...more: string[]) => [
  'genpkey',
  '-algorithm',
  'RSA',
  '-pkeyopt',
  `rsa_keygen_bits:${bits}`,
  ...more,
];
const ec = (curve: string, ...more: string[]) => [
  'genpkey',
  '-algorithm',
  'EC',
  '-pkeyopt',
  `ec_paramgen_curve:${curve}`,
  ...more,
];

async function read(text: string): Promise<string | { keyType: string }> {
  const pem = derOfRequest(text);
  if ('defect' in pem) return pem.defect;
  const request = await readCertificateRequest(pem.der);
  return 'defect' in request ? request.defect : { keyType: request.spki.length > 0 ? 'good' : 'none' };
}

describe('a certificate request', () => {
  let ssl: OpenSsl;
  let good: string;

  beforeAll(() => {
    ssl = openSsl();
    good = ssl.request('good');
  });

  afterAll(() => ssl?.remove());

  it.each([
    ['RSA of 2,048 bits', rsa(2048), []],
    ['RSA and SHA-512', rsa(3072), ['-sha512']],
    ['EC on P-256', ec('P-256'), []],
    ['EC on P-384', ec('P-384'), ['-sha384']],
    ['EC on P-521', ec('P-521'), []],
    ['Ed25519', ['genpkey', '-algorithm', 'ED25519'], []],
  ])('with a key of the kind %s is accepted', async (_kind, newKey, more) => {
    expect(await read(ssl.request('kind', newKey, more))).toEqual({ keyType: 'good' });
  });

  it('contributes only its key', async () => {
    const pem = derOfRequest(good);
    const read = await readCertificateRequest('der' in pem ? pem.der : Buffer.alloc(0));
    const spki = ssl.run('pkey', '-in', 'good.key', '-pubout').replaceAll(/-----[^-]+-----|\s/g, '');
    expect(read).toMatchObject({ spki: Buffer.from(spki, 'base64') });
    expect(Object.keys(read).sort()).toEqual(['fingerprint', 'spki']);
  });

  it.each([
    ['RSA of 1,024 bits', rsa(1024), [], 'RSA key of 1024 bits, which is too weak'],
    ['the exponent 3', rsa(2048, '-pkeyopt', 'rsa_keygen_pubexp:3'), [], 'with the exponent 3, which is too weak'],
    ['the curve secp256k1', ec('secp256k1'), [], 'EC key on secp256k1'],
    ['the curve P-224', ec('P-224'), [], 'EC key on secp224r1'],
    ['Ed448', ['genpkey', '-algorithm', 'ED448'], [], 'key of the kind ed448'],
    [
      'a curve given by its parameters',
      ec('P-256', '-pkeyopt', 'ec_param_enc:explicit'),
      [],
      'curve is written out in numbers',
    ],
    ['a signature with SHA-1', rsa(2048), ['-sha1'], 'SHA-1; sign it with SHA-256'],
    ['a signature with MD5', rsa(2048), ['-md5'], 'sign it with SHA-256'],
    ['an EC signature with SHA-1', ec('P-256'), ['-sha1'], 'SHA-1; sign it with SHA-256'],
    ['a signature by RSA-PSS', rsa(2048), ['-sigopt', 'rsa_padding_mode:pss'], 'sign it with SHA-256'],
  ])('with %s is refused', async (_what, newKey, more, defect) => {
    expect(await read(ssl.request('weak', newKey, more))).toContain(defect);
  });

  it('is refused if a bit of its content or of its signature was changed', async () => {
    const pem = derOfRequest(good);
    const der = 'der' in pem ? pem.der : Buffer.alloc(0);
    const nameAt = der.indexOf('good');
    for (const at of [nameAt, der.length - 1, der.length - 40]) {
      const changed = Buffer.from(der);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const read = await readCertificateRequest(changed);
      expect(read).toMatchObject({ defect: expect.stringMatching(/signature that does not match its key|be read/) });
    }
  });

  it('is refused if it is signed by a key other than its own', async () => {
    ssl.request('other');
    const der = (text: string) => {
      const pem = derOfRequest(text);
      return 'der' in pem ? pem.der : Buffer.alloc(0);
    };
    // Replaces the key in the request by another key of the same length. The signature is still made with the original
    // key.
    const keyOf = (name: string) =>
      ssl.run('pkey', '-in', `${name}.key`, '-pubout').replaceAll(/-----[^-]+-----|\s/g, '');
    const [own, foreign] = [Buffer.from(keyOf('good'), 'base64'), Buffer.from(keyOf('other'), 'base64')];
    const swapped = der(good);
    foreign.copy(swapped, swapped.indexOf(own));
    expect(await readCertificateRequest(swapped)).toEqual({
      defect: 'has a signature that does not match its key; make the request anew on the device',
    });
  });

  it('is refused if it contains a private key, alone or after a request, without repeating it', async () => {
    const key = ssl.read('good.key').toString();
    for (const text of [key, `${good}${key}`, key.replace('BEGIN PRIVATE', 'BEGIN EC PRIVATE')]) {
      const answer = await read(text);
      expect(answer).toContain('private key, which must never leave its device');
      for (const line of key.split('\n').filter(part => part.length > 20 && !part.startsWith('-'))) {
        expect(answer).not.toContain(line);
      }
    }
  });

  it.each<[string, (request: string) => string, string]>([
    ['two requests', request => request + request, 'one PEM block'],
    ['giant', request => request + ' '.repeat(REQUEST_MAX_LENGTH), 'at most 16384 characters'],
    ['no PEM', () => 'not a request', 'must be PEM'],
    ['empty', () => '', 'must be PEM'],
    ['truncated', request => request.slice(0, -20), 'must end with'],
    ['not base64', request => request.replace('MII', '!!!').replace('MIH', '!!!'), 'must hold base64'],
    ['another kind of PEM', request => request.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), 'is a CERTIFICATE'],
    ['other bytes', request => request.replace(/\n[^-]+\n/, '\nMAMCAQE=\n'), 'cannot be read'],
    ['lengthened', request => request.replace(/=*\n-----END/, 'AAAA\n-----END'), 'must'],
  ])('is refused if it is %s', async (_what, change, defect) => {
    expect(await read(change(good))).toContain(defect);
  });

  it('may be surrounded by other text, as the command can print it', async () => {
    expect(await read(ssl.run('req', '-in', ssl.write('good.csr', good), '-text'))).toEqual({ keyType: 'good' });
  });

  it('is refused without an internal error, whatever byte is lost or changed', async () => {
    const pem = derOfRequest(good);
    const der = 'der' in pem ? pem.der : Buffer.alloc(0);
    for (let at = 0; at < der.length; at++) {
      const cut = Buffer.concat([der.subarray(0, at), der.subarray(at + 1)]);
      const changed = Buffer.from(der);
      changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
      expect(await readCertificateRequest(cut)).toHaveProperty('defect');
      expect(await readCertificateRequest(changed)).toHaveProperty('defect');
    }
  });

  it('of a device that creates keys by other means can be read, too', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    ssl.write('made.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect(await read(ssl.run('req', '-new', '-key', 'made.key', '-subj', '/'))).toEqual({ keyType: 'good' });
  });
});
