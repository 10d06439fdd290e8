import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { HttpRequest } from '../request/http-request.js';

const HIDDEN = Symbol('governance.hidden-headers');
const LENGTHS = ['content-length', 'transfer-encoding'] as const;

/**
 * Leaves a request's body unread: parsers pass over a request whose headers announce no body. A body that was already
 * read stays as it is.
 * @param others headers that are hidden besides
 */
export function hideBody(raw: IncomingMessage, others: readonly (keyof IncomingHttpHeaders)[] = []): void {
  if (raw.readableDidRead || raw.readableEnded) return;
  const hidden: IncomingHttpHeaders = {};
  for (const name of [...LENGTHS, ...others]) {
    Object.assign(hidden, { [name]: raw.headers[name] });
    delete raw.headers[name];
  }
  Reflect.set(raw, HIDDEN, hidden);
  // Body parsers before Express 5 skip a request with this mark.
  Reflect.set(raw, '_body', true);
}

/** Restores the headers that {@link hideBody} has hidden. The body still counts as unread. */
export function showBody(raw: IncomingMessage): void {
  const hidden = hiddenOf(raw) ?? {};
  for (const [name, value] of Object.entries(hidden)) if (value !== undefined) raw.headers[name] = value;
}

/** The length of its body that a request announces; 0 where it announces none. */
export function announcedBytesOf(request: HttpRequest): number {
  return Number((hiddenOf(request) ?? request.headers)['content-length'] ?? 0);
}

/** The request whose body has still to be read; undefined where the host has read it. */
export function unreadBodyOf(request: HttpRequest): IncomingMessage | undefined {
  const raw = request.raw ?? request;
  if (isStream(raw) && hiddenOf(raw) !== undefined) return raw;
  return request.body === undefined && isStream(request) && !request.readableEnded ? request : undefined;
}

function hiddenOf(request: HttpRequest | IncomingMessage): IncomingHttpHeaders | undefined {
  // Nobody else knows the symbol.
  return Reflect.get(request, HIDDEN) as IncomingHttpHeaders | undefined;
}

/** On Express the request is Node's own stream. */
function isStream(request: HttpRequest | IncomingMessage): request is IncomingMessage {
  return 'readableEnded' in request;
}
