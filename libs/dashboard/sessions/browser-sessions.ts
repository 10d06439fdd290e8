import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PrincipalResolver, RequestPrincipals, TokenPrincipals, type HttpRequest, type Principal } from '#access';
import { OidcPeople } from '../accounts/oidc-people.js';
import { ACTIVITY_HEADER, isFromHere, refuseForgery } from './same-origin.js';
import { cookiesOf, SESSION_COOKIE } from './session-cookie.js';
import { StoredSessions, type LiveSession } from './stored-sessions.js';

/**
 * Finds the principal of a session by the browser's cookie. The credential of the session is checked with each request.
 * A revoked token, an unlinked account or a suspended user therefore ends the session at once.
 */
@Injectable()
export class BrowserSessions extends PrincipalResolver implements OnModuleInit {
  constructor(
    private readonly sessions: StoredSessions,
    private readonly tokens: TokenPrincipals,
    private readonly people: OidcPeople,
    private readonly principals: RequestPrincipals,
  ) {
    super();
  }

  onModuleInit(): void {
    this.principals.add(this);
  }

  /**
   * The principal; null without an active session.
   * @throws ForbiddenError if the request changes data and does not come from the page
   */
  async resolve(request: HttpRequest): Promise<Principal | null> {
    const session = await this.sessionOf(request);
    if (!session) return null;
    refuseForgery(request);
    const principal = await this.principalOf(session);
    if (principal && isInput(request)) await this.sessions.noteInput(session);
    return principal;
  }

  /** The active session of a request. The credential of the session is not checked. */
  async sessionOf(request: HttpRequest): Promise<LiveSession | undefined> {
    // An explicit credential takes precedence over the cookie.
    if (request.headers.authorization !== undefined || !isFromHere(request)) return undefined;
    for (const secret of cookiesOf(request, SESSION_COOKIE)) {
      const session = await this.sessions.find(secret);
      if (session) return session;
    }
    return undefined;
  }

  private async principalOf({ orgId, tokenDigest, identity }: LiveSession): Promise<Principal | null> {
    if (tokenDigest !== null) return this.tokens.ofDigest(tokenDigest);
    return identity && this.people.principalOf(orgId, identity);
  }
}

/**
 * Whether a person caused the request by input. A stream checks its credential repeatedly with the headers of its first
 * request, which must not count as input.
 */
function isInput({ headers }: HttpRequest): boolean {
  return headers[ACTIVITY_HEADER] !== undefined && !headers.accept?.includes('text/event-stream');
}
