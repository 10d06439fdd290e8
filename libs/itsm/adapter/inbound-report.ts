import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A report as a platform sent it. */
export interface InboundReport {
  /** Names in lower case. Without `x-report-secret`, `cookie` and Basic credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body byte for byte, as it was signed; null if a body parser of the host has consumed it. */
  readonly bytes: Buffer | null;
}

/** HMAC-SHA256 in hexadecimal. */
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Whether a header holds `sha256=` and the HMAC-SHA256 of the body under a secret, in hexadecimal, as WebSub signs
 * (https://www.w3.org/TR/websub/#signature-validation). Compares in constant time.
 * @param header in lower case. Default: `x-hub-signature`
 */
export function isHubSigned({ headers, bytes }: InboundReport, secret: string, header = 'x-hub-signature'): boolean {
  const sent = Object.hasOwn(headers, header) ? headers[header] : undefined;
  const given = SIGNATURE.exec(sent?.trim() ?? '')?.[1];
  if (given === undefined || bytes === null) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(bytes).digest());
}

/** Compares a secret, or a signature, with a given text in constant time, also where the lengths differ. */
export function isSameSecret(wanted: string, given: string): boolean {
  return timingSafeEqual(digestOf(wanted), digestOf(given));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
