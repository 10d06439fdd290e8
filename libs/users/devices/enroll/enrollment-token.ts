import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'enroll_';
const SHAPE = /^enroll_[A-Za-z0-9_-]{43}$/;

/**
 * Creates an enrollment token of 32 random bytes. Because the token cannot be guessed, its hash needs no salt and is
 * safe to store.
 */
export function newEnrollmentToken(random: Buffer = randomBytes(32)): string {
  return PREFIX + random.toString('base64url');
}

/** The SHA-256 under which a token is stored; undefined if the text does not have the form of a token. */
export function hashOfEnrollmentToken(token: string): Buffer | undefined {
  return SHAPE.test(token) ? createHash('sha256').update(token).digest() : undefined;
}
