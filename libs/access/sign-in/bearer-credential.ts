import type { HttpRequest } from '../request/http-request.js';

const MAX_LENGTH = 8 * 1024;
const BEARER = /^bearer +([\x21-\x7e]+)$/i;

/**
 * The credential of `Authorization: Bearer` (RFC 6750, section 2.1); null if there is none, more than one, or one over
 * 8 KiB.
 */
export function bearerCredentialOf(request: HttpRequest): string | null {
  const header = request.headers.authorization;
  if (typeof header !== 'string' || header.length > MAX_LENGTH || countOf(request) > 1) return null;
  return BEARER.exec(header.trim())?.[1] ?? null;
}

/** Node keeps only the first of several headers, but a proxy may have checked another one. */
function countOf(request: HttpRequest): number {
  const headers = request.raw?.rawHeaders ?? request.rawHeaders ?? [];
  return headers.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'authorization').length;
}
