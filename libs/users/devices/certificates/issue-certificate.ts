import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Validity of a certificate, in whole seconds. */
export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The signer: the authority's certificate in DER and its private key as PKCS #8. */
export interface Signer {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
}

/** Creates an authority of an organization: an EC key on P-256 and its self-signed certificate. */
export async function makeAuthority(
  orgId: string,
  generation: number,
  validity: Validity & { serialNumber: string },
): Promise<Signer> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      // Unique per organization and generation, so that authorities cannot be confused.
      name: [{ O: [orgId] }, { CN: [`Device authority ${generation}`] }],
      keys,
      ...validity,
      signingAlgorithm: ALGORITHM,
      extensions: [
        // May sign device certificates but no subordinate CA (path length 0).
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: Buffer.from(certificate.rawData), privateKey: Buffer.from(privateKey) };
}

/** Contents of a device certificate. */
export interface DeviceCertificateContent extends Validity {
  readonly deviceId: string;
  /** The device's public key, SubjectPublicKeyInfo in DER. */
  readonly spki: Buffer;
  readonly serialNumber: string;
  /** URL of the revocation list; undefined if the public address of this service is not configured. */
  readonly revocationListUrl: string | undefined;
}

/** Issues a device certificate in DER, for client authentication. Its subject is the id of the device. */
export async function issueCertificate(signer: Signer, content: DeviceCertificateContent): Promise<Buffer> {
  const { deviceId, spki, revocationListUrl, ...terms } = content;
  const authority = new X509Certificate(signer.certificate);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', signer.privateKey, ALGORITHM, false, ['sign']);
  const certificate = await X509CertificateGenerator.create(
    {
      ...terms,
      subject: [{ CN: [deviceId] }],
      issuer: authority.subjectName,
      publicKey: spki,
      signingKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
        new SubjectAlternativeNameExtension([{ type: 'url', value: `urn:uuid:${deviceId}` }]),
        await SubjectKeyIdentifierExtension.create(spki, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(authority.publicKey, false, webcrypto),
        ...(revocationListUrl === undefined ? [] : [new CRLDistributionPointsExtension([revocationListUrl])]),
      ],
    },
    webcrypto,
  );
  return Buffer.from(certificate.rawData);
}
