// The id of a delivery is a UUID of version 7 with the time of its event, so that both are in the partition of one day. A
// digest of event and webhook replaces the random part, so that a second delivery of the same event would have the same id.

/** Id of the delivery of the event `e.id` to the webhook `w.id`, from their digest `d.digest`. */
export const DELIVERY_ID = `(left(e.id::text, 15) || substr(d.digest, 16, 4) || '8' || substr(d.digest, 21))::uuid`;

/** Digest of the event `e.id` and the webhook `w.id`. */
export const DELIVERY_DIGEST = `encode(substr(sha256(convert_to(e.id::text || w.id::text, 'UTF8')), 1, 16), 'hex')::uuid::text`;
