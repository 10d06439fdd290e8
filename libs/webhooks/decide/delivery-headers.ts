import { serviceSignature, standardSignature } from './signature.js';

const SERVICE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?$/;

/** The secrets that sign. */
export interface SigningSecrets {
  current: string;
  /** The one before, while a rotation lets both count. */
  previous?: string | undefined;
}

/** What the headers of one attempt are made of. */
export interface DeliveryToSign {
  serviceName: string;
  secrets: SigningSecrets;
  /** The event's id as receivers see it, `evt_…`. */
  eventId: string;
  /** When this attempt is made; receivers refuse what is old. */
  timestamp: Date;
  /** The bytes that are sent. */
  body: Uint8Array;
  userAgent: string;
}

/**
 * The name of the header with the service's own signature, such as `X-Service-Signature`.
 *
 * Field names may hold more (RFC 9110, section 5.6.2), but a name goes through here only if it is 1 to 50 letters of
 * ASCII, digits and hyphens, a letter or digit at both ends: widespread servers drop header names with an underscore,
 * and the same name stands in titles, labels and commands.
 * @throws TypeError that says so. Call it at boot, so that no delivery can meet it.
 */
export function signatureHeaderName(serviceName: string): string {
  if (!SERVICE_NAME.test(serviceName)) {
    const allowed = 'give 1 to 50 letters (A-Z, a-z), digits and hyphens, no hyphen at either end, such as Acme-AI';
    throw new TypeError(`serviceName: ${JSON.stringify(serviceName)} cannot stand in a header name; ${allowed}`);
  }
  return `X-${serviceName}-Signature`;
}

/**
 * The headers of one attempt: content type, user agent, the service's own signature, and the three of Standard Webhooks.
 * With a previous secret the service's own comes a second time, as `X-<serviceName>-Signature-Previous`, and
 * `webhook-signature` holds a second entry behind a space; a receiver may know either secret.
 * @throws TypeError where the service's name or a secret does not have its form.
 */
export function deliveryHeaders(delivery: DeliveryToSign): Record<string, string> {
  const { serviceName, secrets, eventId, body } = delivery;
  const name = signatureHeaderName(serviceName);
  const seconds = Math.floor(delivery.timestamp.getTime() / 1000);
  const inForce = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  return {
    'content-type': 'application/json',
    'user-agent': delivery.userAgent,
    [name]: serviceSignature(secrets.current, body),
    ...(secrets.previous === undefined ? {} : { [`${name}-Previous`]: serviceSignature(secrets.previous, body) }),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': inForce.map(secret => standardSignature(secret, eventId, seconds, body)).join(' '),
  };
}
