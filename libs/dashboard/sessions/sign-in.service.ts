import { Injectable } from '@nestjs/common';
import { ClientAddress, requestIdOf, SignInLimits, TokenPrincipals, type HttpRequest, type Principal } from '#access';
import { UnauthorizedError } from '#core';
import type { OidcIdentity } from '../accounts/oidc-identity.js';
import { SignInLinks } from '../links/sign-in-links.js';
import { BrowserSessions } from './browser-sessions.js';
import { cookiesOf, SESSION_COOKIE } from './session-cookie.js';
import { StoredSessions, type LiveSession } from './stored-sessions.js';

/** A new session. */
export interface SignedIn {
  readonly principal: Principal;
  readonly secret: string;
  readonly session: LiveSession;
}

/** Begins and ends the session of a browser. */
@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: StoredSessions,
    private readonly browsers: BrowserSessions,
    private readonly tokens: TokenPrincipals,
    private readonly links: SignInLinks,
    private readonly limits: SignInLimits,
    private readonly addresses: ClientAddress,
  ) {}

  /**
   * Exchanges an access token for a session with its own secret. Ends the browser's previous session.
   * @throws UnauthorizedError if the token is not valid, RateLimitedError after too many failures
   */
  async byToken(token: string, request: HttpRequest): Promise<SignedIn> {
    const principal = await this.tokens.ofCredential(token, request);
    if (!principal) {
      this.limits.countFailure(request);
      throw new UnauthorizedError('The access token is unknown, revoked or expired, or its user has no access.');
    }
    return this.begin(principal, request);
  }

  /**
   * Consumes a sign-in link and starts a session with the token of the link.
   * @throws UnauthorizedError if the link is no longer valid, RateLimitedError after too many failures
   */
  async byLink(code: string, request: HttpRequest): Promise<SignedIn> {
    const digest = await this.limits.lookUp(request, () => this.links.use(code));
    const principal = digest === null ? null : await this.tokens.ofDigest(digest);
    if (!principal) {
      this.limits.countFailure(request);
      throw new UnauthorizedError(
        'The link was already used, has expired, or is unknown. Create another link, or use a token.',
      );
    }
    return this.begin(principal, request);
  }

  /** Starts a session for a principal. */
  async begin(principal: Principal, request: HttpRequest, identity?: OidcIdentity): Promise<SignedIn> {
    await this.end(request);
    const { secret } = await this.sessions.start({
      principal,
      ...(identity === undefined ? {} : { identity }),
      address: this.addresses.of(request),
      requestId: requestIdOf(request),
      userAgent: request.headers['user-agent'] ?? null,
    });
    const session = await this.sessions.find(secret);
    if (!session) throw new UnauthorizedError('The session has ended already.');
    return { principal, secret, session };
  }

  /**
   * Ends all sessions in a browser's cookies. Their credentials need not be valid.
   * @returns the sessions that were still active
   */
  async end(request: HttpRequest): Promise<LiveSession[]> {
    const ended: LiveSession[] = [];
    for (const secret of cookiesOf(request, SESSION_COOKIE)) {
      const session = await this.sessions.find(secret);
      if (!session) continue;
      await this.sessions.end(session);
      ended.push(session);
    }
    return ended;
  }

  /**
   * Records that a person has made an input.
   * @throws UnauthorizedError if the request has no session
   */
  async noteInput(request: HttpRequest): Promise<void> {
    const session = await this.browsers.sessionOf(request);
    if (!session) throw new UnauthorizedError('There is no session; sign in.');
    await this.sessions.noteInput(session);
  }
}
