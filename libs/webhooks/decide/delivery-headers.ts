import { serviceSignature, standardSignature } from './signature.js';

const SERVICE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?$/;

/** The signing secrets of a webhook. */
export interface SigningSecrets {
  current: string;
  /** The previous secret, during the overlap of a rotation. */
  previous?: string | undefined;
}

/** The data from which the headers of one attempt are made. */
export interface DeliveryToSign {
  serviceName: string;
  secrets: SigningSecrets;
  /** The event's id on the wire: `evt_…`. */
  eventId: string;
  /** Time of this attempt. Receivers reject old timestamps. */
  timestamp: Date;
  /** The body, exactly as it is sent. */
  body: Uint8Array;
  userAgent: string;
}

/**
 * The name of the header with the service's own signature, such as `X-Service-Signature`.
 *
 * The service name is 1 to 50 ASCII letters, digits and hyphens, with a letter or digit at both ends. RFC 9110 (section
 * 5.6.2) allows more characters. However, common servers drop header names with an underscore, and the service name
 * also appears in titles, labels and commands.
 * @throws TypeError for any other name. Call it at boot, so that no delivery fails because of an invalid name.
 */
export function signatureHeaderName(serviceName: string): string {
  if (!SERVICE_NAME.test(serviceName)) {
    const allowed = 'give 1 to 50 letters (A-Z, a-z), digits and hyphens, no hyphen at either end, such as Acme-AI';
    throw new TypeError(`serviceName: ${JSON.stringify(serviceName)} cannot stand in a header name; ${allowed}`);
  }
  return `X-${serviceName}-Signature`;
}

/**
 * The headers of one attempt: content type, user agent, the service's own signature, and the three headers of Standard
 * Webhooks. During a rotation, there is also a previous secret. Then, `X-<serviceName>-Signature-Previous` is added,
 * and `webhook-signature` has a second entry after a space. A receiver that knows only one of the two secrets can
 * verify the request.
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
