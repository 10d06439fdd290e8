import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum difference between the time of a request and the current time, in seconds. */
const SLACK_TOLERANCE_SECONDS = 300;

/**
 * The value of `X-Slack-Signature`: `v0=` and the hexadecimal HMAC-SHA256 of `v0:<timestamp>:<body>`, with the signing
 * secret as key.
 * @param timestamp seconds since 1970, as in `X-Slack-Request-Timestamp`
 */
export function slackSignature(secret: string, timestamp: string, body: Buffer): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

/** Whether the signature is valid and recent. Compares in constant time. */
export function isSlackSignature(
  given: { signature: string | undefined; timestamp: string | undefined; body: Buffer },
  secret: string,
  now: Date,
): boolean {
  const { signature = '', timestamp = '', body } = given;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > SLACK_TOLERANCE_SECONDS) return false;
  const wanted = Buffer.from(slackSignature(secret, timestamp, body));
  const shown = Buffer.from(signature);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}
