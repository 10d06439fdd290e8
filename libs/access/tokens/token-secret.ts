import { looksLikeJwt } from '../principals/jwt-shape.js';
import { hasTokenPrefix, isWellFormedToken } from './token-format.js';

/** Minimum length of a secret of the operator. */
export const SECRET_MIN_LENGTH = 32;
const SECRET_MAX_LENGTH = 1024;
// Visible ASCII characters. Every HTTP client sends them unchanged in a header.
const SECRET = /^[\x21-\x7e]+$/;

/** Why a text cannot be a secret of the operator; undefined if the text is suitable. */
export function defectOfSecret(secret: string): string | undefined {
  if (secret.length < SECRET_MIN_LENGTH) return `must have at least ${SECRET_MIN_LENGTH} characters`;
  if (secret.length > SECRET_MAX_LENGTH) return `must have at most ${SECRET_MAX_LENGTH} characters`;
  if (!SECRET.test(secret)) return 'must be visible ASCII characters without spaces, so that it fits into a header';
  if (looksLikeJwt(secret)) return 'must not have the form of a JWT (three parts joined by dots)';
  if (hasTokenPrefix(secret) && !isWellFormedToken(secret)) {
    return 'starts with gov_ but is not a token of this service; use another prefix';
  }
  return undefined;
}
