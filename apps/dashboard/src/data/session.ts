import { queryOptions } from '@tanstack/react-query';
import { API_ROOT, pageAddress, type IdentityProvider } from './address.ts';
import { ApiError } from './api-error.ts';
import { pageFetch, send } from './call.ts';
import { isSignedOut, noteSession } from './signed-out.ts';

/** The person who is signed in, and the organization of that person. */
export interface Me {
  kind: string;
  id: string;
  name: string;
  scopes: string[];
  /** The role whose scopes are exactly those of the person; otherwise null. */
  role: 'admin' | 'auditor' | 'agent' | 'member' | 'scim' | null;
  user: { id: string; email: string; name: string; department: string | null; role: string } | null;
  organization: { id: string; name: string; time_zone: string };
  version: string;
  session: { id: string; created_at: string; idle_at: string; expires_at: string } | null;
  now: string;
}

/** The signed-in person. Fails with 401 if nobody is signed in. */
export const ME = queryOptions({
  queryKey: ['me'],
  // The tests of the server compare GET /v1/me with its OpenAPI schema.
  queryFn: async ({ signal }) => {
    if (isSignedOut()) throw new ApiError(401, 'Nobody is signed in.');
    return (await (await pageFetch(`${API_ROOT}/me`, { signal })).json()) as Me;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Starts a session with an access token. The browser stores only a cookie, which scripts cannot read. */
export async function signIn(token: string): Promise<Me> {
  const me = (await send(pageAddress('session'), 'POST', { token })) as Me;
  noteSession();
  return me;
}

/**
 * Ends the session of this browser.
 * @returns the address that ends the session at the identity provider; undefined if there is none
 */
export async function signOut(): Promise<string | undefined> {
  const { headers } = await pageFetch(pageAddress('session'), { method: 'DELETE' });
  return headers.get('location') ?? undefined;
}

/** Tells the server that there was input, so that the session does not end. This is not an API request. */
export async function stay(): Promise<void> {
  await send(pageAddress('session/activity'), 'POST');
}

/**
 * Address that starts the sign-in at an identity provider. After the sign-in, the browser returns to the current page.
 */
export function providerAddress({ id }: IdentityProvider): string {
  const here = location.href.slice(pageAddress('').length);
  return pageAddress(`session/oidc/${id}?${new URLSearchParams({ return_to: here })}`);
}
