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
  const given = SIGNATURE.exec(headerOf({ headers }, header).trim())?.[1];
  if (given === undefined || bytes === null) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(bytes).digest());
}

/** A header of a report; empty if there is none. @param name in lower case */
export function headerOf({ headers }: Pick<InboundReport, 'headers'>, name: string): string {
  return Object.hasOwn(headers, name) ? (headers[name] ?? '') : '';
}

/** Whether a report has a secret in a header, and a body. Compares in constant time. @param header in lower case */
export function hasSecret(report: InboundReport, secret: string, header: string): boolean {
  return report.bytes !== null && isSameSecret(secret, headerOf(report, header));
}

/** How a platform signs: HMAC-SHA256 of what stands before the body, and of the body. */
export interface SignatureRules {
  /** The header of the signatures, in lower case. */
  readonly header: string;
  /** In front of each signature, such as `v1=`. */
  readonly version: string;
  readonly encoding: 'hex' | 'base64';
  /** Between signatures: there are several while a secret is being replaced. */
  readonly separator: string;
  /** What is signed in front of the body. Default: nothing. */
  readonly before?: string;
}

/** Whether one of the signatures of a report is right. Compares in constant time. */
export function hasSignature(report: InboundReport, key: string | Buffer, rules: SignatureRules): boolean {
  const { header, version, encoding, separator, before = '' } = rules;
  if (report.bytes === null) return false;
  const wanted = version + createHmac('sha256', key).update(before).update(report.bytes).digest(encoding);
  const given = headerOf(report, header).split(separator);
  return given.some(each => isSameSecret(wanted, each.trim()));
}

/**
 * Whether a report is signed as Standard Webhooks (https://www.standardwebhooks.com) are.
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
 * The `eventId` of a report by the platform's name of its delivery; nothing if the name has other characters than such
 * names have. A colon ends the id, so that no digits of the name are taken for a count.
 */
export function deliveryId(kind: string, name: string): { readonly eventId?: string } {
  return DELIVERY.test(name) ? { eventId: `${kind}:${name}:` } : {};
}

/** Compares a secret, or a signature, with a given text in constant time, also where the lengths differ. */
export function isSameSecret(wanted: string, given: string): boolean {
  return timingSafeEqual(digestOf(wanted), digestOf(given));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
