import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '#access';
import { isLoopbackAddress, isLoopbackName } from '../loopback.js';

/** Name of the cookie of the dashboard's sessions. */
export const SESSION_COOKIE = 'governance_session';

const SECRET = /^[\w-]{43}$/;
/** Maximum number of cookies with the same name that are read. A browser may send several, one per path. */
const COOKIES_MAX = 4;

/** The values of a cookie in a request, in the order in which the browser sent them. */
export function cookiesOf(request: HttpRequest, name: string, shape: RegExp = SECRET): string[] {
  const header = request.headers.cookie;
  if (header === undefined || !header.includes(name)) return [];
  const values = header.split(';').flatMap(pair => {
    const at = pair.indexOf('=');
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.filter(value => shape.test(value)).slice(0, COOKIES_MAX);
}

/**
 * Whether the browser certainly has no session here. After a click on a link on another site, a missing cookie proves
 * nothing: browsers do not send a `SameSite=Strict` cookie with that request.
 */
export function lacksSession(request: HttpRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return (site === 'none' || site === 'same-origin') && cookiesOf(request, SESSION_COOKIE).length === 0;
}

/**
 * The header that sets the session's cookie. By default it has no `Path`: the browser then derives the path from the
 * external URL, which a proxy may have changed.
 * @param path the same path, for a response of a deeper route
 */
export function sessionCookie(request: HttpRequest, secret: string, path?: string): string {
  const scope = path === undefined ? '' : `; Path=${path}`;
  return `${SESSION_COOKIE}=${secret}${scope}; HttpOnly; SameSite=Strict${secureOf(request)}`;
}

/** The header that removes the session's cookie. */
export function removedCookie(request: HttpRequest): string {
  return `${SESSION_COOKIE}=; HttpOnly; SameSite=Strict${secureOf(request)}; Max-Age=0`;
}

/**
 * The attribute `Secure`. Omitted for a browser on this machine that connects without TLS and without a proxy that
 * reports TLS.
 */
function secureOf(request: HttpRequest): string {
  return isPlainLoopback(request) ? '' : '; Secure';
}

/** Whether the request comes from a browser on this machine, without TLS and without a proxy that reports TLS. */
function isPlainLoopback({ headers, raw, socket }: HttpRequest): boolean {
  const connection: Partial<IncomingMessage['socket']> | undefined = raw?.socket ?? socket;
  const isEncrypted = connection !== undefined && Reflect.get(connection, 'encrypted') === true;
  if (isEncrypted || headers['x-forwarded-proto'] !== undefined || headers.forwarded !== undefined) return false;
  return isLoopbackAddress(connection?.remoteAddress ?? '') && isLoopbackName(headers.host ?? '');
}
