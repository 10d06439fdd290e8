import { createHash } from 'node:crypto';
import type { Clock } from '#core';
import { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from './adapter-http.js';
import { asText, objectIn } from './platform-answer.js';
import { redactedAnswer } from './redacted-http.js';
import { SecretFilter } from './secret-filter.js';

/** How a token is asked for (RFC 6749, section 4). */
export interface TokenGrant {
  /** Absolute, `https:`, at one of the adapter's origins. */
  readonly url: string;
  /** `grant_type`, `client_id`, `client_secret` and the like, sent as a form. */
  readonly form: Readonly<Record<string, string>>;
}

/** What requests are sent with. */
interface Sender {
  readonly http: AdapterHttp;
  readonly clock: Clock;
}

interface Token {
  readonly access: string;
  readonly refresh: string | undefined;
  /** Milliseconds since 1970. */
  readonly until: number;
}

interface Entry {
  readonly asked: Promise<Token | AdapterResponse>;
  /** Known once the platform has answered. */
  token?: Token;
}

/** Requests of a token wait this long, in milliseconds: they come before another request. */
const TOKEN_TIMEOUT_MS = 5_000;
/** A token is not used in the last minute of its life, or in the last tenth if that is shorter. */
const MARGIN_MS = 60_000;
/** Where the platform does not say how long a token lives. */
const DEFAULT_LIFETIME_S = 300;
const MOST = 1_000;

/**
 * Access tokens of OAuth 2.0, in the memory of the process only. They are kept by the grant: a connector whose secrets
 * change gets another token. An adapter has one instance for all its connectors.
 */
export class AccessTokens {
  private readonly entries = new Map<string, Entry>();

  /**
   * A client that sends each request with a token. Whoever asks for a token at the same time shares one request for it.
   * A token that the platform refuses with 401 is replaced, and the request is sent once more: a refused request did
   * nothing. If the platform grants no token, its refusal is the answer, with status 401 where the credentials are wrong;
   * if none can be had at the moment, the request fails with phase `not_sent`. Tokens are removed from answers.
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
    // A token that was refused may have been revoked, and its refresh token with it.
    const entry: Entry = { asked: ask(sender, grant, token === refused ? undefined : token?.refresh) };
    // The newest stands last, and the oldest goes.
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
  // As with secrets, a success keeps its exact names and keys, unless it holds the token itself.
  return isSuccess && !answer.body.includes(access) ? answer : redactedAnswer(answer, new SecretFilter({ access }));
}

/** A token, or the refusal of one. @throws AdapterHttpError */
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
      // What the token was wanted for was not sent.
      if (error instanceof AdapterHttpError) throw new AdapterHttpError('not_sent', error.message);
      throw error;
    });
  const { status } = answer;
  if (status >= 500) throw new AdapterHttpError('not_sent', `The platform failed (${status}) when asked for a token.`);
  if (status < 200 || status >= 300 || /^text\/html\b/i.test(answer.headers['content-type'] ?? '')) return answer;
  const given = objectIn(answer);
  const access = asText(given?.['access_token']);
  if (status !== 200 || access === undefined || !/^[\x21-\x7e]+$/.test(access)) {
    throw new AdapterHttpError('not_sent', 'The platform answered without a token when asked for one.');
  }
  const lifetimeMs = secondsIn(given?.['expires_in']) * 1_000;
  const until = clock.now().getTime() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs * 0.9);
  return { access, refresh: asText(given?.['refresh_token']), until };
}

/** Some platforms write the number as a text. */
function secondsIn(value: unknown): number {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_LIFETIME_S;
}

/** `invalid_client` and `invalid_grant` are 400 on some platforms and 401 on others (RFC 6749, section 5.2). */
function isOfCredentials(answer: AdapterResponse): boolean {
  if (answer.status === 401) return true;
  return answer.status === 400 && asText(objectIn(answer)?.['error']) !== undefined;
}

function isToken(value: Token | AdapterResponse): value is Token {
  return 'access' in value;
}

/** A digest, so that no secret is kept as a key. */
function keyOf(grant: TokenGrant): string {
  return createHash('sha256').update(JSON.stringify(grant)).digest('base64');
}
