import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A webhook request of a platform. */
export interface InboundReport {
  /** The request's headers. Names are in lower case. `x-report-secret`, `cookie` and Basic credentials are removed. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The exact bytes of the body, over which the signature is computed; null if a body parser of the host has consumed
   * them.
   */
  readonly bytes: Buffer | null;
}

/** `sha256=` and an HMAC-SHA256 in hexadecimal. */
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Whether a header contains `sha256=` and the hexadecimal HMAC-SHA256 of the body, as in WebSub
 * (https://www.w3.org/TR/websub/#signature-validation). Compares in constant time.
 * @param header in lower case. Default: `x-hub-signature`
 */
export function isHubSigned({ headers, bytes }: InboundReport, secret: string, header = 'x-hub-signature'): boolean {
  const given = SIGNATURE.exec(headerOf({ headers }, header).trim())?.[1];
  if (given === undefined || bytes === null) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(bytes).digest());
}

/** A header of a report; empty if it is missing. @param name in lower case */
export function headerOf({ headers }: Pick<InboundReport, 'headers'>, name: string): string {
  return Object.hasOwn(headers, name) ? (headers[name] ?? '') : '';
}

/**
 * Whether a header contains a secret, and the bytes of the body are available. Compares in constant time.
 * @param header name of the header, in lower case
 */
export function hasSecret(report: InboundReport, secret: string, header: string): boolean {
  return report.bytes !== null && isSameSecret(secret, headerOf(report, header));
}

/** How a platform signs a report: HMAC-SHA256 over a prefix and the body. */
export interface SignatureRules {
  /** Name of the signature header, in lower case. */
  readonly header: string;
  /** Prefix of each signature, such as `v1=`. */
  readonly version: string;
  readonly encoding: 'hex' | 'base64';
  /** Separator between signatures. During a rotation, the header contains several signatures. */
  readonly separator: string;
  /** Text before the body in the signed text. Default: empty. */
  readonly before?: string;
}

/** Whether the report has a valid signature according to the rules. Compares in constant time. */
export function hasSignature(report: InboundReport, key: string | Buffer, rules: SignatureRules): boolean {
  const { header, version, encoding, separator, before = '' } = rules;
  if (report.bytes === null) return false;
  const wanted = version + createHmac('sha256', key).update(before).update(report.bytes).digest(encoding);
  const given = headerOf(report, header).split(separator);
  return given.some(each => isSameSecret(wanted, each.trim()));
}

/**
 * Whether the report has a valid signature according to Standard Webhooks (https://www.standardwebhooks.com).
 * @param secret `whsec_` and a key in base64, or any text
 */
export function isStandardSigned(report: InboundReport, secret: string): boolean {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const before = `${headerOf(report, 'webhook-id')}.${headerOf(report, 'webhook-timestamp')}.`;
  return hasSignature(report, key, { header: STANDARD, version: 'v1,', encoding: 'base64', separator: ' ', before });
}

const STANDARD = 'webhook-signature';

const DELIVERY = /^[\w.-]{1,200}$/;

/**
 * Builds an `eventId` from the platform's delivery id. Empty if the delivery id contains unexpected characters. The
 * `eventId` ends with a colon, so that digits at the end of the delivery id are not read as a sequence number.
 */
export function deliveryId(kind: string, name: string): { readonly eventId?: string } {
  return DELIVERY.test(name) ? { eventId: `${kind}:${name}:` } : {};
}

/** Compares two secrets or signatures in constant time, even if their lengths differ. */
export function isSameSecret(wanted: string, given: string): boolean {
  return timingSafeEqual(digestOf(wanted), digestOf(given));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
