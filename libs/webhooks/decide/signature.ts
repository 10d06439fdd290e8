import { createHmac } from 'node:crypto';
import { signingKey } from './signing-secret.js';

/**
 * The service's own signature of a body: `sha256=` and the lower-case hexadecimal HMAC-SHA256 (RFC 2104) of its bytes,
 * The key is the UTF-8 bytes of the whole secret, including its prefix.
 */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/**
 * The signature of the Standard Webhooks specification, version 1: `v1,` and the base64 HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`. The key is the bytes that the secret contains in base64.
 * @param timestampSeconds whole Unix seconds, as in the header `webhook-timestamp`
 * @throws TypeError if the secret is not `whsec_` followed by base64
 */
export function standardSignature(secret: string, id: string, timestampSeconds: number, body: Uint8Array): string {
  const hmac = createHmac('sha256', signingKey(secret)).update(`${id}.${timestampSeconds}.`);
  return `v1,${hmac.update(body).digest('base64')}`;
}
