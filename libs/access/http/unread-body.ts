import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from './http-request.js';

const UNREAD = Symbol('governance.unread-body');
const ANNOUNCED = Symbol('governance.announced-bytes');

/** Notes of a request that the host's parser was given something else: its body has not been read yet. */
export function leaveUnread(raw: IncomingMessage): void {
  Reflect.set(raw, UNREAD, true);
}

/**
 * Leaves a request's body unread where the host's parsers are given the request itself: they pass over one whose headers
 * announce no body. {@link announcedBytesOf} still tells what they announced. What was read before stays as it is.
 */
export function hideBody(raw: IncomingMessage): void {
  if (raw.readableDidRead) return;
  Reflect.set(raw, ANNOUNCED, raw.headers['content-length']);
  delete raw.headers['content-length'];
  delete raw.headers['transfer-encoding'];
  // What parsers of before Express 5 look for.
  Reflect.set(raw, '_body', true);
  leaveUnread(raw);
}

/** The length of its body that a request announces; 0 where it announces none. */
export function announcedBytesOf(request: HttpRequest): number {
  return Number(request.headers['content-length'] ?? Reflect.get(request, ANNOUNCED) ?? 0);
}

/** The request whose body has still to be read; undefined where the host has read it. */
export function unreadBodyOf(request: HttpRequest): IncomingMessage | undefined {
  const raw = request.raw ?? request;
  if (Reflect.get(raw, UNREAD) === true && isStream(raw)) return raw;
  return request.body === undefined && isStream(request) && !request.readableEnded ? request : undefined;
}

/** On Express the request is Node's own stream. */
function isStream(request: HttpRequest | IncomingMessage): request is IncomingMessage {
  return 'readableEnded' in request;
}
