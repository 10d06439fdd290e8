import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'enroll_';
const SHAPE = /^enroll_[A-Za-z0-9_-]{43}$/;

/** A new enrollment token: 32 random bytes, so that it cannot be guessed, and a plain digest of it cannot be searched. */
export function newEnrollmentToken(random: Buffer = randomBytes(32)): string {
  return PREFIX + random.toString('base64url');
}

/** What is stored of a token, its SHA-256; undefined where the text has not the form of one. */
export function hashOfEnrollmentToken(token: string): Buffer | undefined {
  return SHAPE.test(token) ? createHash('sha256').update(token).digest() : undefined;
}
