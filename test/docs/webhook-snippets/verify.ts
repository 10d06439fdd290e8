import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

/** `body` is the raw body: in Express `req.body` behind `express.raw({ type: 'application/json' })`. */
function isAuthentic(secret: string, body: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  return secret !== '' && given.length === expected.length && timingSafeEqual(given, expected);
}

const { SECRET = '', SIGNATURE = '' } = process.env;
process.exitCode = isAuthentic(SECRET, await buffer(process.stdin), SIGNATURE) ? 0 : 1;
