import 'reflect-metadata';
import { createPrivateKey, sign } from 'node:crypto';
import { AuthorityKeyIdentifierExtension, SubjectKeyIdentifierExtension, X509Certificate } from '@peculiar/x509';
import { der, integer, sequence, time } from './der.js';
import type { Signer } from './issue-certificate.js';

/** Reasons of a revocation, with their codes in revocation lists (RFC 5280, section 5.3.1). */
export const REVOCATION_CODES = {
  unspecified: 0,
  key_compromise: 1,
  affiliation_changed: 3,
  superseded: 4,
  cessation_of_operation: 5,
  privilege_withdrawn: 9,
} as const;

/** Reason of a revocation, as revocation lists name it. */
export type RevocationCode = keyof typeof REVOCATION_CODES;

/** A revoked certificate. */
export interface RevokedCertificate {
  /** Serial number in lower-case hexadecimal. */
  readonly serialNumber: string;
  readonly revokedAt: Date;
  readonly code: RevocationCode;
}

/** Contents of a revocation list. */
export interface RevocationListContent {
  /** The number of the previous list plus one. */
  readonly number: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly revoked: readonly RevokedCertificate[];
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2. */
const ALGORITHM = sequence(oid('2a8648ce3d040302'));
/** id-ce-cRLNumber, 2.5.29.20. */
const CRL_NUMBER = oid('551d14');
/** id-ce-cRLReasons, 2.5.29.21. */
const REASON_CODE = oid('551d15');
const VERSION_2 = integer('01');
const OCTETS = 0x04;
const ENUMERATED = 0x0a;
const BITS = 0x03;
const EXTENSIONS = 0xa0;

/**
 * Signs a revocation list in DER (RFC 5280, section 5). This file encodes the list itself. `@peculiar/x509` would
 * compare every pair of entries, which takes seconds for the thousands of entries of a large organization.
 */
export function makeRevocationList(signer: Signer, content: RevocationListContent): Buffer {
  const authority = new X509Certificate(signer.certificate);
  const keyId = authority.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) throw new Error('The certificate of the authority has no key identifier.');
  const signed = sequence(
    VERSION_2,
    ALGORITHM,
    Buffer.from(authority.subjectName.toArrayBuffer()),
    time(content.thisUpdate),
    time(content.nextUpdate),
    // If there are no entries, the list of entries is omitted, because RFC 5280 does not allow an empty one.
    ...(content.revoked.length > 0 ? [sequence(...content.revoked.map(entryOf))] : []),
    der(
      EXTENSIONS,
      sequence(
        Buffer.from(new AuthorityKeyIdentifierExtension(keyId).rawData),
        sequence(CRL_NUMBER, der(OCTETS, integer(content.number.toString(16)))),
      ),
    ),
  );
  const key = createPrivateKey({ key: signer.privateKey, format: 'der', type: 'pkcs8' });
  return sequence(signed, ALGORITHM, der(BITS, Buffer.of(0), sign('sha256', signed, key)));
}

function entryOf({ serialNumber, revokedAt, code }: RevokedCertificate): Buffer {
  const reason = REVOCATION_CODES[code];
  const extensions =
    reason === REVOCATION_CODES.unspecified
      ? []
      : [sequence(sequence(REASON_CODE, der(OCTETS, der(ENUMERATED, Buffer.of(reason)))))];
  return sequence(integer(serialNumber), time(revokedAt), ...extensions);
}
