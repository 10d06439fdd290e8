import { Injectable } from '@nestjs/common';
import { ClientAddress, requestIdOf, type HttpRequest } from '#access';
import { sessionCookie } from '../sessions/session-cookie.js';
import { SignInService } from '../sessions/sign-in.service.js';
import { BegunSignIns } from './begun-sign-ins.js';
import { OidcAnswers } from './oidc-answers.js';
import { OidcPeople, type OidcAccount } from '../accounts/oidc-people.js';
import { OidcProviders } from '../accounts/oidc-providers.js';
import { OidcRefusal } from '../accounts/oidc-refusal.js';
import { RefusedSignIns } from './refused-sign-ins.js';
import { returnAddress } from './return-address.js';

/** The next URL of the browser, and the cookies to set or remove. */
export interface NextStep {
  readonly url: URL;
  readonly cookies: readonly string[];
}

/** Starts the session of a person whom a provider has signed in. */
@Injectable()
export class OidcArrivals {
  constructor(
    private readonly people: OidcPeople,
    private readonly signIns: SignInService,
    private readonly providers: OidcProviders,
    private readonly addresses: ClientAddress,
  ) {}

  /** The header with the cookie of the new session. @throws OidcRefusal or UnauthorizedError if the person has no access */
  async enter(account: OidcAccount, request: HttpRequest): Promise<string> {
    const origin = { address: this.addresses.of(request), requestId: requestIdOf(request) };
    const principal = await this.people.signIn(account, origin);
    const { secret } = await this.signIns.begin(principal, request, account.identity);
    // Explicit path for this route. It equals the path that the browser derives when a person signs in with a token.
    // Otherwise there would be two cookies.
    return sessionCookie(request, secret, this.providers.page.pathname.replace(/(.)\/$/, '$1'));
  }
}

/**
 * Signs people in with their account at a provider. A failed sign-in redirects the browser to the page, which shows the
 * reason.
 */
@Injectable()
export class OidcSignInService {
  constructor(
    private readonly providers: OidcProviders,
    private readonly answers: OidcAnswers,
    private readonly begun: BegunSignIns,
    private readonly arrivals: OidcArrivals,
    private readonly refused: RefusedSignIns,
  ) {}

  /**
   * Redirects a browser to the provider.
   * @param wanted the page that the person wanted to open, as a URL relative to the dashboard
   * @throws NotFoundError if there is no such provider
   */
  async begin(id: string, wanted: string | null, request: HttpRequest): Promise<NextStep> {
    const provider = this.providers.get(id);
    const returnTo = returnAddress(wanted, this.providers.page);
    try {
      const { begun, url } = await this.answers.begin(provider, returnTo);
      return { url, cookies: await this.begun.cookiesFor(begun, request) };
    } catch (error) {
      return { url: await this.refused.addressAfter(error, { provider, returnTo, request }), cookies: [] };
    }
  }

  /**
   * Processes the provider's response and starts a session.
   * @param search the query of the response
   * @throws NotFoundError if there is no such provider
   */
  async finish(id: string, search: string, request: HttpRequest): Promise<NextStep> {
    const provider = this.providers.get(id);
    const state = new URLSearchParams(search).get('state') ?? '';
    const begun = await this.begun.take(state, request);
    const cookies = [this.begun.removedFor(state)];
    const returnTo = begun === undefined ? this.providers.page : new URL(begun.returnTo);
    let account: OidcAccount | undefined;
    try {
      if (begun?.provider !== id) throw new OidcRefusal('expired', 'No sign-in of this browser waits for the answer.');
      account = await this.answers.accountOf(provider, search, begun);
      return { url: returnTo, cookies: [...cookies, await this.arrivals.enter(account, request)] };
    } catch (error) {
      return { url: await this.refused.addressAfter(error, { provider, returnTo, request, account }), cookies };
    }
  }
}
