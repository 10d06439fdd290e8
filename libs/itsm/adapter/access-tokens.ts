import { createHash } from 'node:crypto';
import type { Clock } from '#core';
import { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from './adapter-http.js';
import { asText, objectIn } from './platform-answer.js';
import { redactedAnswer } from './redacted-http.js';
import { SecretFilter } from './secret-filter.js';

/** The request for an access token (RFC 6749, section 4). */
export interface TokenGrant {
  /** URL of the token endpoint: absolute, `https:`, at one of the adapter's origins. */
  readonly url: string;
  /** Parameters of the form, such as `grant_type`, `client_id` and `client_secret`. */
  readonly form: Readonly<Record<string, string>>;
}

/** The HTTP client and the clock of an adapter call. */
interface Sender {
  readonly http: AdapterHttp;
  readonly clock: Clock;
}

interface Token {
  readonly access: string;
  readonly refresh: string | undefined;
  /** Time at which the token expires, in milliseconds since 1970. */
  readonly until: number;
}

interface Entry {
  readonly asked: Promise<Token | AdapterResponse>;
  /** The token; set after the platform has answered. */
  token?: Token;
}

/** Timeout of a token request, in milliseconds. Meanwhile, the request of the adapter waits. */
const TOKEN_TIMEOUT_MS = 5_000;
/**
 * Milliseconds before its expiry at which a token is renewed. A token with a short lifetime is renewed after nine
 * tenths of it.
 */
const MARGIN_MS = 60_000;
/** Lifetime of a token in seconds, if the platform does not state one. */
const DEFAULT_LIFETIME_S = 300;
const MOST = 1_000;

/**
 * Caches OAuth 2.0 access tokens in memory, by grant. A connector whose secrets change gets a new token. Each adapter
 * has one instance for all its connectors.
 */
export class AccessTokens {
  private readonly entries = new Map<string, Entry>();

  /**
   * A client that adds a token to each request. Concurrent callers share one token request. If the platform answers a
   * request with 401, the client gets a new token and repeats the request once, because a refused request had no
   * effect. If the platform refuses the grant, the adapter gets that refusal as its answer; the status is 401 if the
   * credentials are wrong. If no token is available at the moment, the request fails with phase `not_sent`. Tokens are
   * removed from answers, and the values of the form from refusals.
   */
  http(sender: Sender, grant: TokenGrant): AdapterHttp {
    return new TokenHttp(request => this.request(sender, grant, request));
  }

  private async request(sender: Sender, grant: TokenGrant, request: AdapterRequest): Promise<AdapterResponse> {
    const token = await this.tokenFor(sender, grant);
    if (!isToken(token)) return token;
    const answer = await send(sender, token, request);
    if (answer.status !== 401) return answer;
    const another = await this.tokenFor(sender, grant, token);
    return isToken(another) ? send(sender, another, request) : another;
  }

  private async tokenFor(sender: Sender, grant: TokenGrant, refused?: Token): Promise<Token | AdapterResponse> {
    const key = keyOf(grant);
    const known = this.entries.get(key);
    const { token } = known ?? {};
    const isOver = token !== undefined && (token === refused || sender.clock.now().getTime() >= token.until);
    if (known && !isOver) return known.asked;
    // The platform may have revoked the refresh token together with the access token that it refused. Then, the refresh
    // token is not used.
    const entry: Entry = { asked: ask(sender, grant, token === refused ? undefined : token?.refresh) };
    // Deleting and inserting keeps the map in the order of use, so that the entry that was unused for longest is
    // evicted.
    this.entries.delete(key);
    this.entries.set(key, entry);
    const [oldest] = this.entries.keys();
    if (this.entries.size > MOST && oldest !== undefined) this.entries.delete(oldest);
    try {
      const asked = await entry.asked;
      if (isToken(asked)) entry.token = asked;
      else this.forget(key, entry);
      return asked;
    } catch (error) {
      this.forget(key, entry);
      throw error;
    }
  }

  private forget(key: string, entry: Entry): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }
}

class TokenHttp extends AdapterHttp {
  constructor(private readonly pass: (request: AdapterRequest) => Promise<AdapterResponse>) {
    super();
  }

  override request(request: AdapterRequest): Promise<AdapterResponse> {
    return this.pass(request);
  }
}

async function send({ http }: Sender, { access }: Token, request: AdapterRequest): Promise<AdapterResponse> {
  const headers = { ...request.headers, authorization: `Bearer ${access}` };
  const answer = await http.request({ ...request, headers });
  const isSuccess = answer.status >= 200 && answer.status < 300;
  // A successful answer stays unchanged, as it does for other secrets, unless it contains the token.
  return isSuccess && !answer.body.includes(access) ? answer : redactedAnswer(answer, new SecretFilter({ access }));
}

/** Requests a token. Returns the token, or the platform's refusal. @throws AdapterHttpError */
async function ask(sender: Sender, grant: TokenGrant, refresh?: string): Promise<Token | AdapterResponse> {
  if (refresh !== undefined) {
    const { client_id, client_secret } = grant.form;
    const client = {
      ...(client_id !== undefined && { client_id }),
      ...(client_secret !== undefined && { client_secret }),
    };
    const form = { grant_type: 'refresh_token', refresh_token: refresh, ...client };
    const renewed = await askOnce(sender, { ...grant, form });
    if (isToken(renewed)) return { ...renewed, refresh: renewed.refresh ?? refresh };
    if (!isOfCredentials(renewed)) return redactedAnswer(renewed, new SecretFilter({ refresh }));
  }
  const granted = await askOnce(sender, grant);
  return isToken(granted) || !isOfCredentials(granted) ? granted : { ...granted, status: 401 };
}

async function askOnce({ http, clock }: Sender, { url, form }: TokenGrant): Promise<Token | AdapterResponse> {
  const headers = { accept: 'application/json' };
  const answer = await http
    .request({ method: 'POST', url, headers, form, timeoutMs: TOKEN_TIMEOUT_MS })
    .catch((error: unknown) => {
      // The token request failed, so the adapter's own request was not sent.
      if (error instanceof AdapterHttpError) throw new AdapterHttpError('not_sent', error.message);
      throw error;
    });
  const { status } = answer;
  const secrets = new SecretFilter({ ...form });
  if (status >= 500) throw new AdapterHttpError('not_sent', `The platform failed (${status}) when asked for a token.`);
  if (status < 200 || status >= 300 || /^text\/html\b/i.test(answer.headers['content-type'] ?? ''))
    return redactedAnswer(answer, secrets);
  const given = objectIn(answer);
  const access = asText(given?.['access_token']);
  if (status !== 200 || access === undefined || !/^[\x21-\x7e]+$/.test(access)) {
    throw new AdapterHttpError('not_sent', 'The platform answered without a token when asked for one.');
  }
  const lifetimeMs = secondsIn(given?.['expires_in']) * 1_000;
  const until = clock.now().getTime() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs * 0.9);
  return { access, refresh: asText(given?.['refresh_token']), until };
}

/** Some platforms send `expires_in` as text. */
function secondsIn(value: unknown): number {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_LIFETIME_S;
}

/** Some platforms answer `invalid_client` and `invalid_grant` with 400, and others with 401 (RFC 6749, section 5.2). */
function isOfCredentials(answer: AdapterResponse): boolean {
  if (answer.status === 401) return true;
  return answer.status === 400 && asText(objectIn(answer)?.['error']) !== undefined;
}

function isToken(value: Token | AdapterResponse): value is Token {
  return 'access' in value;
}

/** The key of a grant is a digest, because a map key must not contain a secret. */
function keyOf(grant: TokenGrant): string {
  return createHash('sha256').update(JSON.stringify(grant)).digest('base64');
}
