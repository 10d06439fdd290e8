import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OidcServer, { type Account } from 'oidc-provider';

/** A running provider and its registered client. */
export interface CertifiedProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<unknown>;
}

/**
 * The certified provider `oidc-provider` on loopback, with its own pages for sign-in, consent and sign-out. It accepts
 * any email address with any password, marks it as verified, and puts all users into the group "operators".
 *
 * @param page public address of the dashboard, with a slash at the end
 */
export async function startCertifiedProvider(page: string, id: string): Promise<CertifiedProvider> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['dashboard', randomBytes(24).toString('base64url')];
  const provider = new OidcServer(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret },
        redirect_uris: [`${page}session/oidc/${id}/callback`],
        post_logout_redirect_uris: [page],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
    findAccount: (_context: unknown, email: string): Account => ({
      accountId: email,
      claims: async () => ({ sub: email, email, email_verified: true, name: 'Ada Lovelace', groups: ['operators'] }),
    }),
  });
  server.on('request', provider.callback());
  return {
    ...{ issuer, clientId, clientSecret },
    close() {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}
