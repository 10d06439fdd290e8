import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { HttpRequest } from '../request/http-request.js';

const HIDDEN = Symbol('governance.hidden-headers');
const LENGTHS = ['content-length', 'transfer-encoding'] as const;

/**
 * Hides the body of a request from body parsers. Parsers skip a request whose headers announce no body. Does nothing if
 * the body was already read.
 * @param others additional headers to hide
 */
export function hideBody(raw: IncomingMessage, others: readonly (keyof IncomingHttpHeaders)[] = []): void {
  if (raw.readableDidRead || raw.readableEnded) return;
  const { headers } = raw;
  const hidden: IncomingHttpHeaders = {};
  for (const name of others.length === 0 ? LENGTHS : [...LENGTHS, ...others]) {
    const value = headers[name];
    if (value === undefined) continue;
    hidden[name] = value;
    // The headers are set to undefined instead of deleted, because a deletion makes later reads of the headers slower.
    headers[name] = undefined;
  }
  Reflect.set(raw, HIDDEN, hidden);
  // Body parsers before Express 5 skip a request with this flag.
  Reflect.set(raw, '_body', true);
}

/** Restores the hidden headers. The body is still unread. */
export function showBody(raw: IncomingMessage): void {
  const hidden = hiddenOf(raw) ?? {};
  for (const [name, value] of Object.entries(hidden)) if (value !== undefined) raw.headers[name] = value;
}

/** Announced length of the body; 0 if none is announced. */
export function announcedBytesOf(request: HttpRequest): number {
  return Number((hiddenOf(request) ?? request.headers)['content-length'] ?? 0);
}

/** The request if its body is still unread; undefined if the host has read it. */
export function unreadBodyOf(request: HttpRequest): IncomingMessage | undefined {
  const raw = request.raw ?? request;
  if (isStream(raw) && hiddenOf(raw) !== undefined) return raw;
  return request.body === undefined && isStream(request) && !request.readableEnded ? request : undefined;
}

function hiddenOf(request: HttpRequest | IncomingMessage): IncomingHttpHeaders | undefined {
  // Only this module sets this property, so its type is known.
  return Reflect.get(request, HIDDEN) as IncomingHttpHeaders | undefined;
}

/** In Express, the request is Node's own stream. */
function isStream(request: HttpRequest | IncomingMessage): request is IncomingMessage {
  return 'readableEnded' in request;
}
