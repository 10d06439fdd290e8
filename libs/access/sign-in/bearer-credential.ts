import type { HttpRequest } from '../request/http-request.js';

const MAX_LENGTH = 8 * 1024;
const BEARER = /^bearer +([\x21-\x7e]+)$/i;

/**
 * The credential of the header `Authorization: Bearer` (RFC 6750, section 2.1). Null if the header is missing or
 * repeated, or if the credential is longer than 8 KiB.
 */
export function bearerCredentialOf(request: HttpRequest): string | null {
  const header = request.headers.authorization;
  if (typeof header !== 'string' || header.length > MAX_LENGTH || countOf(request) > 1) return null;
  return BEARER.exec(header.trim())?.[1] ?? null;
}

/** Node's `headers` contains only the first of repeated headers, but a proxy may have checked another one. */
function countOf(request: HttpRequest): number {
  const headers = request.raw?.rawHeaders ?? request.rawHeaders ?? [];
  return headers.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'authorization').length;
}
