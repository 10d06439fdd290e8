// The id of a delivery is a UUID of version 7. It contains the time of the event, so that event and delivery are in the
// partition of the same day. A digest of event and webhook takes the place of the random part. A second delivery of the
// same event would therefore have the same id.

/** SQL for the id of the delivery of the event `e.id` to the webhook `w.id`. Their digest is `d.digest`. */
export const DELIVERY_ID = `(left(e.id::text, 15) || substr(d.digest, 16, 4) || '8' || substr(d.digest, 21))::uuid`;

/** SQL for the digest of the event `e.id` and the webhook `w.id`. */
export const DELIVERY_DIGEST = `encode(substr(sha256(convert_to(e.id::text || w.id::text, 'UTF8')), 1, 16), 'hex')::uuid::text`;
