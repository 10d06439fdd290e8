import { StreamableFile } from '@nestjs/common';
import type { RevocationList } from '../authority/revocation-lists.js';
import { pemOf } from '../certificates/index.js';
import type { DeviceAuthority } from '../device-authority.entity.js';

/**
 * Media types of the files that verifiers of certificates download (RFC 2585, RFC 8555). No type is registered for
 * revocation lists in PEM.
 */
export const LIST_DER = 'application/pkix-crl';
export const LIST_PEM = 'application/x-pem-file';
export const CERTIFICATES_PEM = 'application/pem-certificate-chain';

/** Whether an `Accept` header requests revocation lists in DER. */
export function acceptsDer(accept: string | undefined): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',');
  return ranges.some(range => range.split(';')[0]?.trim() === LIST_DER && !/;\s*q=0(\.0*)?\s*$/.test(range));
}

/** Concatenated revocation lists in PEM. */
export function listsFile(lists: readonly RevocationList[]): StreamableFile {
  return file(lists.map(({ der }) => pemOf('X509 CRL', der)).join(''), LIST_PEM);
}

/** One revocation list in DER. */
export function listFile({ der }: RevocationList): StreamableFile {
  return file(der, LIST_DER);
}

/** Concatenated certificates of authorities in PEM. */
export function authoritiesFile(authorities: readonly DeviceAuthority[]): StreamableFile {
  return file(authorities.map(({ certificate }) => pemOf('CERTIFICATE', certificate)).join(''), CERTIFICATES_PEM);
}

function file(content: string | Buffer, type: string): StreamableFile {
  const bytes = Buffer.from(content);
  return new StreamableFile(bytes, { type, length: bytes.length });
}
