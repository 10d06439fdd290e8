import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 24 * 60 * 60 * 1000;

/** Options of a certificate. Without names and addresses, the certificate is for `localhost`, `127.0.0.1` and `::1`. */
export interface LeafRequest {
  names?: readonly string[];
  addresses?: readonly string[];
  /** Start of the validity. Default: yesterday. */
  notBefore?: Date;
  /** End of the validity. Default: in 30 days. */
  notAfter?: Date;
}

/** A certificate and its private key in PEM, in the format of the options of `node:tls`. */
export interface KeyedCertificate {
  cert: string;
  key: string;
}

/** A certificate authority for tests. */
export interface Authority {
  readonly caPem: string;
  /** A server certificate signed by the authority. */
  issue(request?: LeafRequest): Promise<KeyedCertificate>;
  /**
   * Path of a file with `caPem`, for `NODE_EXTRA_CA_CERTS`. The file is written at the first call and removed at exit.
   */
  caFile(): string;
}

/** Creates an authority with a new key (ECDSA P-256). */
export async function makeAuthority(name = 'Test authority'): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name} ${webcrypto.randomUUID()}`,
      keys,
      ...validity({}),
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  const caPem = certificate.toString('pem');
  let file: string | undefined;
  return {
    caPem,
    issue: async (request = {}) => {
      const leaf = await newKeys();
      const signed = await x509.X509CertificateGenerator.create(
        {
          subject: 'CN=Test server',
          issuer: certificate.subject,
          publicKey: leaf.publicKey,
          signingKey: keys.privateKey,
          ...validity(request),
          signingAlgorithm: ALGORITHM,
          extensions: [
            ...leafExtensions(request),
            await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
          ],
        },
        webcrypto,
      );
      return toPem(signed, leaf);
    },
    caFile: () => (file ??= writeForThisProcess(caPem)),
  };
}

/** A self-signed certificate. */
async function selfSigned(request: LeafRequest = {}): Promise<KeyedCertificate> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=Test server',
      keys,
      ...validity(request),
      signingAlgorithm: ALGORITHM,
      extensions: leafExtensions(request),
    },
    webcrypto,
  );
  return toPem(certificate, keys);
}

/** The state of a server certificate for a client that trusts the authority. */
export type CertificateKind = 'valid' | 'wrong host' | 'expired' | 'self-signed';

/** A certificate for names and addresses, in addition to `localhost` and the loopback addresses. */
export function certificateOf(
  kind: CertificateKind,
  authority: Authority,
  subjects: readonly string[],
): Promise<KeyedCertificate> {
  const names = ['localhost', ...subjects.filter(subject => isIP(subject) === 0)];
  const addresses = ['127.0.0.1', '::1', ...subjects.filter(subject => isIP(subject) > 0)];
  const past = { notBefore: new Date(Date.now() - 30 * DAY), notAfter: new Date(Date.now() - DAY) };
  switch (kind) {
    case 'valid':
      return authority.issue({ names, addresses });
    case 'wrong host':
      return authority.issue({ names: ['elsewhere.test'], addresses: ['192.0.2.1'] });
    case 'expired':
      return authority.issue({ names, addresses, ...past });
    case 'self-signed':
      return selfSigned({ names, addresses });
  }
}

/** Makes every TLS client of this process trust the authority until the returned function is called. */
export function trustInThisProcess(caPem: string): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, caPem]);
  return () => setDefaultCACertificates(before);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity({ notBefore, notAfter }: LeafRequest): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: notBefore ?? new Date(Date.now() - DAY),
    notAfter: notAfter ?? new Date(Date.now() + 30 * DAY),
  };
}

function leafExtensions({ names, addresses }: LeafRequest): x509.Extension[] {
  const unnamed = names === undefined && addresses === undefined;
  const dns = unnamed ? ['localhost'] : (names ?? []);
  const ip = unnamed ? ['127.0.0.1', '::1'] : (addresses ?? []);
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([
      ...dns.map(value => ({ type: 'dns' as const, value })),
      ...ip.map(value => ({ type: 'ip' as const, value })),
    ]),
  ];
}

async function toPem(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyedCertificate> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

function writeForThisProcess(pem: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-authority-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, pem);
  return file;
}
