// `@peculiar/x509` resolves its parts by metadata, which needs this extension of Reflect.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { isWholeSequence } from './der.js';
import { keyIdentity, type KeyIdentity } from './key-identity.js';
import { keyDefect, publicKeyOf } from './key-strength.js';

/** The key for which a device requests a certificate. No other part of the request is used. */
export type RequestedKey = KeyIdentity;

const NOT_ONE = 'must be a certificate request (PKCS#10), but cannot be read as one';
const SIGNATURES = new Set(['RSASSA-PKCS1-v1_5', 'ECDSA']);
const HASHES = new Set(['SHA-256', 'SHA-384', 'SHA-512']);

/**
 * Reads a certificate request (PKCS#10, RFC 2986) in DER and checks that its sender holds the private key. Ignores the
 * requested subject and extensions.
 */
export async function readCertificateRequest(der: Buffer): Promise<RequestedKey | { defect: string }> {
  const request = isWholeSequence(der) ? parse(der) : undefined;
  if (!request) return { defect: NOT_ONE };
  const given = publicKeyOf(Buffer.from(request.publicKey.rawData));
  if (!given) return { defect: 'has a public key that cannot be read' };
  const weakness = (await keyDefect(given)) ?? signatureDefect(request);
  if (weakness !== undefined) return { defect: weakness };
  if (!(await isSignedByItsKey(request))) {
    return { defect: 'has a signature that does not match its key; make the request anew on the device' };
  }
  return keyIdentity(given);
}

/** Reads all needed parts of the request at this point, because the library parses lazily and would throw later. */
function parse(der: Buffer): Pkcs10CertificateRequest | undefined {
  try {
    const request = new Pkcs10CertificateRequest(der);
    return request.publicKey.rawData.byteLength > 0 && request.signatureAlgorithm ? request : undefined;
  } catch {
    return undefined;
  }
}

function signatureDefect({ signatureAlgorithm }: Pkcs10CertificateRequest): string | undefined {
  const name = nameOf(signatureAlgorithm);
  if (name === 'Ed25519') return undefined;
  const hash = nameOf(signatureAlgorithm.hash);
  if (SIGNATURES.has(name) && HASHES.has(hash)) return undefined;
  return `is signed with ${[name, hash].filter(part => part !== '').join(' and ')}; sign it with SHA-256 or Ed25519`;
}

/** The name of a Web Crypto algorithm. An algorithm known only by its OID has no hash. */
function nameOf(algorithm: unknown): string {
  const name: unknown = Reflect.get(Object(algorithm), 'name');
  return typeof name === 'string' ? name : '';
}

async function isSignedByItsKey(request: Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify(webcrypto);
  } catch {
    // Either the algorithm does not match the key, or the signature is malformed.
    return false;
  }
}
