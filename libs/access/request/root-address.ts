import type { HttpRequest } from './http-request.js';

/**
 * The address of this service as the caller reached it, without a slash at the end: scheme and host as the platform
 * understands them, so that proxies count as far as the host app trusts them, and what stands before the route.
 * @param route where the routes begin that the request is for, such as `/scim/v2`
 */
export function rootAddressOf(request: HttpRequest, route: string): string {
  const { protocol, originalUrl } = request as { protocol?: unknown; originalUrl?: unknown };
  const path = (typeof originalUrl === 'string' ? originalUrl : (request.url ?? '')).split('?')[0] ?? '';
  const end = path.toLowerCase().lastIndexOf(route);
  const host = request.headers.host ?? '';
  return `${protocol === 'https' ? 'https' : 'http'}://${host}${end === -1 ? '' : path.slice(0, end)}`;
}
