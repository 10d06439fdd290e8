import type { HttpRequest } from '#access';

const ROOT = '/scim/v2';

/**
 * The address of the SCIM service as the caller reached it, for `meta.location`: scheme and host as the platform
 * understands them, so that proxies count as far as the host app trusts them.
 */
export function scimAddressOf(request: HttpRequest): string {
  const { protocol, originalUrl } = request as { protocol?: unknown; originalUrl?: unknown };
  const path = (typeof originalUrl === 'string' ? originalUrl : (request.url ?? '')).split('?')[0] ?? '';
  const end = path.toLowerCase().lastIndexOf(ROOT);
  const prefix = end === -1 ? ROOT : path.slice(0, end + ROOT.length);
  const host = request.headers.host ?? '';
  return `${protocol === 'https' ? 'https' : 'http'}://${host}${prefix}`;
}
