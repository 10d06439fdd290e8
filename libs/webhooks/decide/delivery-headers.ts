import { serviceSignature, standardSignature } from './signature.js';

const SERVICE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?$/;

/** The signing secrets. */
export interface SigningSecrets {
  current: string;
  /** The previous secret, during the overlap of a rotation. */
  previous?: string | undefined;
}

/** The input of the headers of one attempt. */
export interface DeliveryToSign {
  serviceName: string;
  secrets: SigningSecrets;
  /** The event's id on the wire: `evt_…`. */
  eventId: string;
  /** Time of this attempt. Receivers reject old timestamps. */
  timestamp: Date;
  /** The body, as sent. */
  body: Uint8Array;
  userAgent: string;
}

/**
 * The name of the header with the service's own signature, such as `X-Service-Signature`.
 *
 * Header names may contain more characters (RFC 9110, section 5.6.2). Here, a name is 1 to 50 ASCII letters, digits and
 * hyphens, with a letter or digit at both ends, because common servers drop header names with an underscore, and the name
 * also appears in titles, labels and commands.
 * @throws TypeError for any other name. Call it at boot, so that no delivery fails because of it.
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
 * With a previous secret, `X-<serviceName>-Signature-Previous` is added, and `webhook-signature` has a second entry after
 * a space, so that a receiver may know either secret.
 * @throws TypeError if the name of the service or a secret is malformed
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
