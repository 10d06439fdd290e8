import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PrincipalResolver, RequestPrincipals, TokenPrincipals, type HttpRequest, type Principal } from '#access';
import { OidcPeople } from '../accounts/oidc-people.js';
import { ACTIVITY_HEADER, isFromHere, refuseForgery } from './same-origin.js';
import { cookiesOf, SESSION_COOKIE } from './session-cookie.js';
import { StoredSessions, type LiveSession } from './stored-sessions.js';

/**
 * Resolves the principal behind the cookie of a browser. It checks the session's credential with each request: a
 * revoked token, an account that is not linked any more or a suspended user ends the session at once.
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

  /** The active session of a request, whether or not its credential is still valid. */
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

/** A stream repeats its authorization check with the same headers, which is not input of a person. */
function isInput({ headers }: HttpRequest): boolean {
  return headers[ACTIVITY_HEADER] !== undefined && !headers.accept?.includes('text/event-stream');
}
