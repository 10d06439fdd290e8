// Pure functions for keys, certificates and revocation lists.
export { readCertificateRequest, type RequestedKey } from './certificate-request.js';
export { issueCertificate, makeAuthority, type Signer } from './issue-certificate.js';
export { isSignedBy, PROOF_MAX_LENGTH } from './key-proof.js';
export { derOfRequest, pemOf, REQUEST_MAX_LENGTH } from './pem.js';
export {
  makeRevocationList,
  REVOCATION_CODES,
  type RevocationCode,
  type RevokedCertificate,
} from './revocation-list.js';
export { newSerialNumber } from './serial-number.js';
