import type { IncomingHttpHeaders } from 'node:http';

/**
 * Connection headers (RFC 9110, section 7.6.1). Headers whose names the header `Connection` contains are treated in the
 * same way.
 */
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

/** Headers for this service, from the caller or from proxies. They must not be sent to the provider. */
const NOT_FOR_PROVIDERS = new Set([
  ...HOP_BY_HOP,
  ...['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'host', 'origin', 'referer'],
  ...['accept-encoding', 'content-encoding', 'content-length', 'content-type', 'expect', 'x-request-id'],
  ...['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip'],
]);

/** Headers of the provider that concern browsers, its connection or its origin. They must not be sent to the caller. */
const NOT_FOR_CALLERS = new Set([
  ...HOP_BY_HOP,
  ...['set-cookie', 'set-cookie2', 'content-length', 'alt-svc', 'strict-transport-security', 'cache-control'],
  ...['www-authenticate', 'location', 'server', 'via', 'nel', 'report-to', 'clear-site-data'],
]);

const OF_THE_WAY = /^(?:x-governance-|x-forwarded-|sec-|access-control-|cf-)/;

/**
 * The headers for the provider: the caller's headers, with the provider's own credential. Names and values alternate.
 */
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
  // The gateway has read the body as JSON in UTF-8. This header makes the provider read it in the same way.
  if (hasBody) list.push('content-type', 'application/json');
  return list;
}

/** The headers for the caller: the provider's headers without the length of the body. Names and values alternate. */
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
