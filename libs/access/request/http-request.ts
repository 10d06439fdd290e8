import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';

/** The common parts of Express and Fastify requests that this library reads. */
export interface HttpRequest {
  headers: IncomingHttpHeaders;
  method?: string;
  url?: string;
  body?: unknown;
  /** The raw request under a Fastify request. */
  raw?: IncomingMessage;
  /** Header names and values in turn, as received. */
  rawHeaders?: string[];
  socket?: { remoteAddress?: string | undefined };
  /** Express: the matched route. */
  route?: { path?: unknown };
  /** Fastify: the matched route. */
  routeOptions?: { url?: string | undefined };
}

/** The common parts of Express and Fastify responses that this library writes. */
export type HttpResponse =
  | {
      header(name: string, value: string): unknown;
      getHeader?(name: string): string | number | string[] | undefined;
      status(code: number): { send(body: unknown): unknown };
      raw?: ServerResponse;
    }
  | ServerResponse;

const REQUEST_ID_OF = Symbol('governance.request-id');
const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** The request id: the caller's `X-Request-Id` if it is well-formed, otherwise a new one. */
export function requestIdOf(request: HttpRequest): string {
  const key = request.raw ?? request;
  const known: unknown = Reflect.get(key, REQUEST_ID_OF);
  if (typeof known === 'string') return known;
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  Reflect.set(key, REQUEST_ID_OF, id);
  return id;
}

/**
 * Method and route pattern, such as `GET /v1/policies/:id`; null if no route matched. Logs must not contain the path
 * itself, because callers control it.
 */
export function routeOf({ method, route, routeOptions }: HttpRequest): string | null {
  const path = route?.path ?? routeOptions?.url;
  return typeof path === 'string' && method !== undefined ? `${method} ${path}` : null;
}

/** Sets a header on Express and Fastify. */
export function setHeader(response: HttpResponse, name: string, value: string): void {
  if ('setHeader' in response) response.setHeader(name, value);
  else response.header(name, value);
}

/** Adds a request header to `Vary`. */
export function varyBy(response: HttpResponse, name: string): void {
  const present = String(response.getHeader?.('Vary') ?? '');
  const names = new Set(present.split(',').map(each => each.trim().toLowerCase()));
  if (names.has('*') || names.has(name.toLowerCase())) return;
  setHeader(response, 'Vary', present === '' ? name : `${present}, ${name}`);
}

/** Adds a cookie and keeps cookies that were added earlier. Fastify keeps them by itself. */
export function addCookie(response: HttpResponse, cookie: string): void {
  if ('appendHeader' in response) response.appendHeader('Set-Cookie', cookie);
  else setHeader(response, 'Set-Cookie', cookie);
}

/** Sends a JSON body, unless the response has already started. */
export function send(response: HttpResponse, status: number, body: unknown, type = 'application/json'): void {
  const sent = 'headersSent' in response ? response.headersSent : response.raw?.headersSent;
  if (sent) return;
  if ('status' in response && typeof response.status === 'function') {
    setHeader(response, 'Content-Type', `${type}; charset=utf-8`);
    response.status(status).send(body);
  } else if ('end' in response) {
    response.statusCode = status;
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.end(JSON.stringify(body));
  }
}
