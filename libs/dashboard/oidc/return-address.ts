/** Longer addresses do not fit into a cookie. */
const LENGTH_MAX = 1024;

/** Query parameters of the page after a failed sign-in. */
const ERROR_PARAMETER = 'sign_in_error';
const REQUEST_PARAMETER = 'request_id';

/**
 * The address of the page that a person wanted, from the browser's request. Only addresses of the page itself are
 * accepted; any other becomes the first page.
 *
 * @param page public address of the page, with a slash at the end
 */
export function returnAddress(wanted: string | null, page: URL): URL {
  const url = wanted === null || wanted.length > LENGTH_MAX ? null : URL.parse(wanted, page.href);
  if (url === null || url.origin !== page.origin || !url.pathname.startsWith(page.pathname)) return new URL(page.href);
  // Addresses below the page's path that are not pages: opening them has an effect.
  if (url.pathname.startsWith(`${page.pathname}session/`) || url.username !== '') return new URL(page.href);
  url.hash = '';
  url.searchParams.delete(ERROR_PARAMETER);
  url.searchParams.delete(REQUEST_PARAMETER);
  return url;
}

/** The address to return to, with the reason of the failed sign-in. */
export function failedAddress(returnTo: URL, code: string, requestId: string): URL {
  const url = new URL(returnTo.href);
  url.searchParams.set(ERROR_PARAMETER, code);
  url.searchParams.set(REQUEST_PARAMETER, requestId);
  return url;
}
