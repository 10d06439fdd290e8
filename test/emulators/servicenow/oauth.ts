import { randomBytes } from 'node:crypto';
import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** The parts of a request that the endpoint reads. */
interface TokenRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface Granted {
  readonly access: string;
  readonly until: number;
}

/**
 * Emulates `oauth_token.do` with one entry of the application registry, based on the documentation
 * (https://www.servicenow.com/docs, "OAuth API request parameters", "OAuth API response parameters", "Client
 * credentials grant"). Within its lifetime, the same token is granted again. A sign-in with a password also gets a
 * refresh token, which does not change.
 */
export class TokenEndpoint {
  readonly client = { client_id: 'be3aeb583ace210011c15b24a43e25d8', client_secret: 'Client;Secret&9+of=tests' };
  /** The grant types of the token requests so far, in order. */
  readonly asked: string[] = [];
  /** Lifetime of a token in seconds. */
  lifetimeS = 1_799;
  /** Whether the property glide.oauth.inbound.client.credential.grant_type.enabled is set, and the entry has a user. */
  allowsClientCredentials = true;
  /** The answer to token requests instead of a token. */
  trouble: PlatformAnswer | undefined;
  now = (): number => Date.now();
  private granted: Granted | undefined;
  private refresh: string | undefined;

  constructor(private readonly account: { readonly username: string; readonly password: string }) {}

  answer({ method, headers, body }: TokenRequest): PlatformAnswer {
    const form = new URLSearchParams(body.toString('utf8'));
    const type = form.get('grant_type') ?? '';
    this.asked.push(type);
    if (this.trouble) return this.trouble;
    const isForm = /^application\/x-www-form-urlencoded\b/.test(String(headers['content-type']));
    if (method !== 'POST' || !isForm || !this.isClient(form) || !this.isGranted(type, form)) return DENIED;
    const now = this.now();
    if (!this.granted || this.granted.until <= now || type === 'refresh_token') {
      this.granted = { access: randomBytes(48).toString('base64url'), until: now + this.lifetimeS * 1_000 };
    }
    if (type === 'password') this.refresh ??= randomBytes(48).toString('base64url');
    const { access, until } = this.granted;
    return {
      status: 200,
      json: {
        ...{ access_token: access, scope: 'useraccount', token_type: 'Bearer' },
        ...(type !== 'client_credentials' && this.refresh !== undefined && { refresh_token: this.refresh }),
        expires_in: Math.floor((until - now) / 1_000),
      },
    };
  }

  /** Whether a header contains a valid token. */
  knows(authorization: string | undefined): boolean {
    if (!this.granted || this.granted.until <= this.now()) return false;
    return authorization === `Bearer ${this.granted.access}`;
  }

  /** The last granted token. */
  get token(): string {
    return this.granted?.access ?? '';
  }

  /** Revokes all tokens, as an administrator does. */
  revoke(): void {
    this.granted = undefined;
    this.refresh = undefined;
  }

  private isClient(form: URLSearchParams): boolean {
    const { client_id, client_secret } = this.client;
    return form.get('client_id') === client_id && form.get('client_secret') === client_secret;
  }

  private isGranted(type: string, form: URLSearchParams): boolean {
    const { username, password } = this.account;
    if (type === 'client_credentials') return this.allowsClientCredentials;
    if (type === 'password') return form.get('username') === username && form.get('password') === password;
    return type === 'refresh_token' && this.refresh !== undefined && form.get('refresh_token') === this.refresh;
  }
}

const DENIED: PlatformAnswer = { status: 401, json: { error_description: 'access_denied', error: 'server_error' } };
