import type { HttpRequest } from './http-request.js';

/**
 * The base URL of this service as the caller sees it, without a trailing slash. Scheme and host come from Express or
 * Fastify, so the host's settings for trusted proxies apply. Includes the path before the route.
 * @param route prefix of the requested route, such as `/scim/v2`
 */
export function rootAddressOf(request: HttpRequest, route: string): string {
  const { protocol, originalUrl } = request as { protocol?: unknown; originalUrl?: unknown };
  const path = (typeof originalUrl === 'string' ? originalUrl : (request.url ?? '')).split('?')[0] ?? '';
  const end = path.toLowerCase().lastIndexOf(route);
  const host = request.headers.host ?? '';
  return `${protocol === 'https' ? 'https' : 'http'}://${host}${end === -1 ? '' : path.slice(0, end)}`;
}
