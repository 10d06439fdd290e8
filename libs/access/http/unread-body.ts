import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from './http-request.js';

const UNREAD = Symbol('governance.unread-body');

/** Notes of a request that the host's parser was given something else: its body has not been read yet. */
export function leaveUnread(raw: IncomingMessage): void {
  Reflect.set(raw, UNREAD, true);
}

/** The request whose body has still to be read; undefined where the host has read it. */
export function unreadBodyOf(request: HttpRequest): IncomingMessage | undefined {
  if (request.raw && Reflect.get(request.raw, UNREAD) === true) return request.raw;
  return request.body === undefined && isReadable(request) ? request : undefined;
}

/** On Express without a body parser the request is Node's own stream, still unread. */
function isReadable(request: HttpRequest): request is HttpRequest & IncomingMessage {
  return 'readableEnded' in request && request.readableEnded === false;
}
