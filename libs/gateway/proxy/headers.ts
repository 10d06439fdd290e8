import type { IncomingHttpHeaders } from 'node:http';

/** Headers of one connection (RFC 9110, section 7.6.1); those that `Connection` names come on top. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Headers of this service, of the caller and of proxies, which the provider must not get. */
const NOT_FOR_PROVIDERS = new Set([
  ...HOP_BY_HOP,
  ...['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'host', 'origin', 'referer'],
  ...['accept-encoding', 'content-encoding', 'content-length', 'content-type', 'expect', 'x-request-id'],
  ...['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip'],
]);

/** Headers of the provider for browsers, for its own connection or for its own origin. */
const NOT_FOR_CALLERS = new Set([
  ...HOP_BY_HOP,
  ...['set-cookie', 'set-cookie2', 'content-length', 'alt-svc', 'strict-transport-security', 'cache-control'],
  ...['www-authenticate', 'location', 'server', 'via', 'nel', 'report-to', 'clear-site-data'],
]);

const OF_THE_WAY = /^(?:x-governance-|x-forwarded-|sec-|access-control-|cf-)/;

/** The caller's headers as the provider gets them: names and values in turn, with the provider's own credential. */
export function headersForProvider(
  headers: IncomingHttpHeaders,
  credential: readonly string[],
  hasBody: boolean,
): string[] {
  const dropped = namedBy(headers.connection);
  const list = [...credential];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_FOR_PROVIDERS.has(name) || OF_THE_WAY.test(name)) continue;
    if (dropped?.includes(name)) continue;
    list.push(name, typeof value === 'string' ? value : value.join(', '));
  }
  // The gateway has read the body as JSON in UTF-8, so the provider must read it in the same way.
  if (hasBody) list.push('content-type', 'application/json');
  return list;
}

/** The provider's headers as the caller gets them, without the length of the body: names and values in turn. */
export function headersForCaller(headers: IncomingHttpHeaders): string[] {
  const dropped = namedBy(headers.connection);
  const list: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_FOR_CALLERS.has(name) || OF_THE_WAY.test(name)) continue;
    if (dropped?.includes(name)) continue;
    list.push(name, typeof value === 'string' ? value : value.join(', '));
  }
  return list;
}

function namedBy(connection: string | undefined): string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return connection.split(',').map(name => name.trim().toLowerCase());
}
