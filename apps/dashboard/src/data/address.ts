/** Where the page and the API are. The server writes both into the document; the development server writes neither. */
const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/** Root of the page, with a slash at the end. Deep links and prefixes of proxies are in it. */
export const PAGE_ROOT = new URL(document.querySelector('base') === null ? '/' : './', document.baseURI);

/** Root of the API, without a slash at the end: `https://governance.example/v1`. */
export const API_ROOT = new URL(metaOf('api') ?? '/v1', document.baseURI).href.replace(/\/$/, '');

const WAYS = (metaOf('sign-in') ?? 'token').split(' ');

/** An identity provider at which people sign in. */
export interface IdentityProvider {
  id: string;
  name: string;
}

/** How people sign in here. `host`: the application around the page does it. */
export const SIGN_IN = {
  token: WAYS.includes('token'),
  // The server's own text, with names that its settings give.
  providers: JSON.parse(metaOf('identity-providers') ?? '[]') as IdentityProvider[],
  host: WAYS.includes('host'),
} as const;

/** Whether the server has seen that this browser has no session. */
export const IS_SIGNED_OUT = metaOf('session') === 'none';

/** Address of a route that is not part of the API, such as `session`. */
export function pageAddress(path: string): string {
  return new URL(path, PAGE_ROOT).href;
}
