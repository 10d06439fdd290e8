/** The parts of a gateway URL. */
export interface GatewayPath {
  /** Name of the provider as in the URL, not decoded. */
  readonly name: string;
  /** The provider's own path, such as `/v1/chat/completions`, not decoded. */
  readonly path: string;
  /** The query including its question mark, or an empty text. */
  readonly query: string;
}

/**
 * Splits a URL into the provider's name and its path. The parts are neither decoded nor normalized, so that an unusual
 * path matches no route.
 * @param url path and query as received
 * @param route the matched route, with `:name` for the provider, after any prefix
 */
export function readGatewayPath(url: string, route: string): GatewayPath | undefined {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const at = route.split('/').lastIndexOf(':name');
  let start = 0;
  for (let segment = 0; segment < at; segment += 1) {
    start = path.indexOf('/', start) + 1;
    if (start === 0) return undefined;
  }
  const slash = path.indexOf('/', start);
  if (at === -1 || slash === -1) return undefined;
  return { name: path.slice(start, slash), path: path.slice(slash), query: end === -1 ? '' : url.slice(end) };
}
