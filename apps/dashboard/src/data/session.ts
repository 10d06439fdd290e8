import { queryOptions } from '@tanstack/react-query';
import { API_ROOT, pageAddress, type IdentityProvider } from './address.ts';
import { ApiError } from './api-error.ts';
import { pageFetch, send } from './call.ts';
import { isSignedOut, noteSession } from './signed-out.ts';

/** Who is signed in, and to which organization. */
export interface Me {
  kind: string;
  id: string;
  name: string;
  scopes: string[];
  /** A role where the scopes are exactly those of it, otherwise null. */
  role: 'admin' | 'auditor' | 'agent' | 'member' | 'scim' | null;
  user: { id: string; email: string; name: string; department: string | null; role: string } | null;
  organization: { id: string; name: string; time_zone: string };
  version: string;
  session: { id: string; created_at: string; idle_at: string; expires_at: string } | null;
  now: string;
}

/** Who is signed in. Fails with 401 where nobody is. */
export const ME = queryOptions({
  queryKey: ['me'],
  // The server's contract; GET /v1/me is tested against its OpenAPI schema.
  queryFn: async ({ signal }) => {
    if (isSignedOut()) throw new ApiError(401, 'Nobody is signed in.');
    return (await (await pageFetch(`${API_ROOT}/me`, { signal })).json()) as Me;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Begins a session with an access token. The browser keeps only a cookie that scripts cannot read. */
export async function signIn(token: string): Promise<Me> {
  const me = (await send(pageAddress('session'), 'POST', { token })) as Me;
  noteSession();
  return me;
}

/**
 * Ends the session of this browser.
 * @returns where the session at the identity provider ends; undefined where there is none
 */
export async function signOut(): Promise<string | undefined> {
  const { headers } = await pageFetch(pageAddress('session'), { method: 'DELETE' });
  return headers.get('location') ?? undefined;
}

/** Tells the server of input without any request of the API, so that the session does not end. */
export async function stay(): Promise<void> {
  await send(pageAddress('session/activity'), 'POST');
}

/** Address of the sign-in at an identity provider, which comes back to the page that is open. */
export function providerAddress({ id }: IdentityProvider): string {
  const here = location.href.slice(pageAddress('').length);
  return pageAddress(`session/oidc/${id}?${new URLSearchParams({ return_to: here })}`);
}
