import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

/** Faults of the emulator. */
export interface Misbehavior {
  /** Claims that override those of the ID token. */
  idToken?: Record<string, unknown>;
  /** Whether the emulator signs with an unpublished key. */
  forges?: boolean;
  /** The status of all answers. */
  status?: number;
  /** The issuer in the metadata. */
  issuer?: string;
}

interface Code {
  claims: Record<string, unknown>;
  nonce: string;
  challenge: string;
  redirectUri: string;
}

/**
 * An OpenID Connect provider on loopback, based on OpenID Connect Core, Discovery and RFC 7636: code flow with PKCE,
 * signed ID tokens, userinfo. It signs in the user of `account` without asking. A test can switch on faults.
 */
export class ProviderEmulator {
  /** Claims of the next user who signs in. */
  account: Record<string, unknown> = {};
  misbehavior: Misbehavior = {};
  /** Claims that only userinfo returns. */
  hidden: readonly string[] = [];
  /** The parameters of authorization requests. */
  readonly asked: URLSearchParams[] = [];
  /** The number of code exchanges. */
  exchanges = 0;
  /** All issued tokens and codes. They must not appear in any output. */
  readonly secrets: string[] = [];
  readonly clientSecret = `client-secret-${randomUUID()}`;
  private readonly codes = new Map<string, Code>();
  private readonly accessTokens = new Map<string, Record<string, unknown>>();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    private readonly keys: { own: CryptoKey; other: CryptoKey; jwk: JWK },
    private readonly now: () => Date,
  ) {}

  /**
   * Starts the emulator on another host name of this machine, so that browsers do not treat it as the same site as
   * 127.0.0.1.
   */
  static async start(now: () => Date = () => new Date()): Promise<ProviderEmulator> {
    const [own, other] = await Promise.all([generateKeyPair('ES256', { extractable: true }), generateKeyPair('ES256')]);
    const jwk: JWK = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const emulator = new ProviderEmulator(server, port, { own: own.privateKey, other: other.privateKey, jwk }, now);
    server.on('request', (request, response) => void emulator.answer(request, response));
    return emulator;
  }

  get issuer(): string {
    return `http://localhost:${this.port}`;
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise(resolve => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    if (this.misbehavior.status !== undefined) return json(response, this.misbehavior.status, { error: 'down' });
    if (url.pathname === '/.well-known/openid-configuration') return json(response, 200, this.metadata());
    if (url.pathname === '/keys') return json(response, 200, { keys: [this.keys.jwk] });
    if (url.pathname === '/auth') return this.authorize(url.searchParams, response);
    if (url.pathname === '/token') return this.exchange(request, response);
    if (url.pathname === '/me') {
      const claims = this.accessTokens.get(request.headers.authorization?.slice('Bearer '.length) ?? '');
      return claims ? json(response, 200, claims) : json(response, 401, { error: 'invalid_token' });
    }
    return json(response, 404, { error: 'not_found' });
  }

  private metadata(): object {
    const at = (path: string): string => this.issuer + path;
    return {
      issuer: this.misbehavior.issuer ?? this.issuer,
      ...{ authorization_endpoint: at('/auth'), token_endpoint: at('/token'), jwks_uri: at('/keys') },
      ...{ userinfo_endpoint: at('/me'), end_session_endpoint: at('/end') },
      ...{ response_types_supported: ['code'], id_token_signing_alg_values_supported: ['ES256'] },
      ...{ subject_types_supported: ['public'], code_challenge_methods_supported: ['S256'] },
      authorization_response_iss_parameter_supported: true,
    };
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    this.asked.push(query);
    const code = randomUUID();
    this.secrets.push(code);
    const [redirectUri, nonce] = [query.get('redirect_uri') ?? '', query.get('nonce') ?? ''];
    const challenge = query.get('code_challenge') ?? '';
    this.codes.set(code, { claims: { ...this.account }, nonce, challenge, redirectUri });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: query.get('state') ?? '', iss: this.issuer }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.exchanges += 1;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const form = new URLSearchParams(body);
    const given = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    if (decodeURIComponent(given) !== `dashboard:${this.clientSecret}`)
      return json(response, 401, { error: 'invalid_client' });
    const code = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code?.challenge !== challenge || code.redirectUri !== form.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    const access_token = randomUUID();
    this.accessTokens.set(access_token, code.claims);
    const id_token = await this.idToken(code);
    this.secrets.push(access_token, id_token);
    return json(response, 200, { access_token, token_type: 'Bearer', expires_in: 60, id_token });
  }

  private idToken({ claims, nonce }: Code): Promise<string> {
    const now = Math.floor(this.now().getTime() / 1000);
    const told = Object.fromEntries(Object.entries(claims).filter(([name]) => !this.hidden.includes(name)));
    const all = { iss: this.issuer, aud: 'dashboard', iat: now, exp: now + 300, nonce, ...told };
    return new SignJWT({ ...all, ...this.misbehavior.idToken })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(this.misbehavior.forges === true ? this.keys.other : this.keys.own);
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
