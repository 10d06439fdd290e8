/** Maximum length of a URL. A longer URL would not fit into a cookie. */
const LENGTH_MAX = 1024;

/** Query parameters with which the page is opened after a failed sign-in. */
const ERROR_PARAMETER = 'sign_in_error';
const REQUEST_PARAMETER = 'request_id';

/**
 * The URL of the page that a person wanted to open, from the browser's request. Only URLs of the dashboard are
 * accepted; any other becomes the start page.
 * @param page public URL of the dashboard, with a trailing slash
 */
export function returnAddress(wanted: string | null, page: URL): URL {
  const url = wanted === null || wanted.length > LENGTH_MAX ? null : URL.parse(wanted, page.href);
  if (url === null || url.origin !== page.origin || !url.pathname.startsWith(page.pathname)) return new URL(page.href);
  // URLs below the page's path that are not pages: requests to them start or end a session.
  if (url.pathname.startsWith(`${page.pathname}session/`) || url.username !== '') return new URL(page.href);
  url.hash = '';
  url.searchParams.delete(ERROR_PARAMETER);
  url.searchParams.delete(REQUEST_PARAMETER);
  return url;
}

/** The URL to return to, with the reason of the failed sign-in. */
export function failedAddress(returnTo: URL, code: string, requestId: string): URL {
  const url = new URL(returnTo.href);
  url.searchParams.set(ERROR_PARAMETER, code);
  url.searchParams.set(REQUEST_PARAMETER, requestId);
  return url;
}
