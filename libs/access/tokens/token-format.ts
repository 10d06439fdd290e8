import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'gov_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 43; // Length that holds 256 bits in base62: 62^43 > 2^256.
const CHECK_LENGTH = 6; // Length that holds 32 bits in base62: 62^6 > 2^32.
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);

/** A new access token: `gov_`, 32 random bytes in base62, and a CRC-32, which lets secret scanners recognize it. */
export function newToken(random: Uint8Array = randomBytes(32)): string {
  const body = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), BODY_LENGTH);
  return PREFIX + body + checksum(body);
}

/** Whether a text has the prefix of our tokens. */
export function hasTokenPrefix(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Whether a text has the format and checksum of our tokens. The token need not exist. */
export function isWellFormedToken(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(PREFIX.length, PREFIX.length + BODY_LENGTH);
  return text.endsWith(checksum(body));
}

/** The stored digest of a token: SHA-256 in base64. No salt is needed, because a token has 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64');
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECK_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text;
}
