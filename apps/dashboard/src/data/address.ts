/**
 * Addresses of the page and the API. The server writes both addresses into the document. The development server does
 * not.
 */
const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/**
 * Root URL of the page, with a trailing slash. It is also correct for deep links, and behind a proxy that adds a
 * prefix.
 */
export const PAGE_ROOT = new URL(document.querySelector('base') === null ? '/' : './', document.baseURI);

/** Root URL of the API, without a trailing slash: `https://governance.example/v1`. */
export const API_ROOT = new URL(metaOf('api') ?? '/v1', document.baseURI).href.replace(/\/$/, '');

const WAYS = (metaOf('sign-in') ?? 'token').split(' ');

/** An identity provider through which people sign in. */
export interface IdentityProvider {
  id: string;
  name: string;
}

/** The ways to sign in. `host` means that the surrounding application signs people in. */
export const SIGN_IN = {
  token: WAYS.includes('token'),
  // The server has written this JSON from its settings.
  providers: JSON.parse(metaOf('identity-providers') ?? '[]') as IdentityProvider[],
  host: WAYS.includes('host'),
} as const;

/** Whether the server has found that this browser has no session. */
export const IS_SIGNED_OUT = metaOf('session') === 'none';

/** Address of a route outside the API, such as `session`. */
export function pageAddress(path: string): string {
  return new URL(path, PAGE_ROOT).href;
}
