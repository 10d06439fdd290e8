import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';

/** What Express and Fastify requests have in common, as far as this library reads them. */
export interface HttpRequest {
  headers: IncomingHttpHeaders;
  method?: string;
  url?: string;
  body?: unknown;
  /** The raw request under a Fastify request. */
  raw?: IncomingMessage;
  /** Names and values in turn, as they came. */
  rawHeaders?: string[];
  socket?: { remoteAddress?: string | undefined };
  /** Of Express: what the router matched. */
  route?: { path?: unknown };
  /** Of Fastify: what the router matched. */
  routeOptions?: { url?: string | undefined };
}

/** What Express and Fastify responses have in common, as far as this library writes them. */
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

/** The request's id: the caller's own `X-Request-Id` where it is well formed, otherwise a new one. */
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
 * Method and route pattern, such as `GET /v1/policies/:id`; null where no route was matched. The path itself is not for
 * logs: callers put anything into it.
 */
export function routeOf({ method, route, routeOptions }: HttpRequest): string | null {
  const path = route?.path ?? routeOptions?.url;
  return typeof path === 'string' && method !== undefined ? `${method} ${path}` : null;
}

/** Sets a header on either platform. */
export function setHeader(response: HttpResponse, name: string, value: string): void {
  if ('setHeader' in response) response.setHeader(name, value);
  else response.header(name, value);
}

/** Says that the answer depends on a header of the request, beside what others have said. */
export function varyBy(response: HttpResponse, name: string): void {
  const present = String(response.getHeader?.('Vary') ?? '');
  const names = new Set(present.split(',').map(each => each.trim().toLowerCase()));
  if (names.has('*') || names.has(name.toLowerCase())) return;
  setHeader(response, 'Vary', present === '' ? name : `${present}, ${name}`);
}

/** Adds a cookie on either platform, beside others. Fastify itself keeps the cookies that were set before. */
export function addCookie(response: HttpResponse, cookie: string): void {
  if ('appendHeader' in response) response.appendHeader('Set-Cookie', cookie);
  else setHeader(response, 'Set-Cookie', cookie);
}

/** Sends a JSON body on either platform, unless the answer has already begun. */
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
