import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'enroll_';
const SHAPE = /^enroll_[A-Za-z0-9_-]{43}$/;

/** Creates an enrollment token of 32 random bytes. It cannot be guessed, so a plain hash of it is safe to store. */
export function newEnrollmentToken(random: Buffer = randomBytes(32)): string {
  return PREFIX + random.toString('base64url');
}

/** The stored SHA-256 of a token; undefined if the text does not have the form of a token. */
export function hashOfEnrollmentToken(token: string): Buffer | undefined {
  return SHAPE.test(token) ? createHash('sha256').update(token).digest() : undefined;
}
