import { Get, Inject, Param, Redirect, Req, Res, type Type } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { addCookie, GovernanceController, Open, setHeader, type HttpRequest, type HttpResponse } from '#access';
import { OidcSignInService, type NextStep } from './oidc-sign-in.service.js';

/**
 * Routes for the sign-in at a provider, at a path below the module's own path. Browsers open them directly, so the API
 * reference omits them.
 */
export function oidcController(path: string): Type<unknown> {
  @GovernanceController([path, 'session/oidc'].filter(Boolean).join('/'), 'Dashboard')
  @ApiExcludeController()
  class OidcController {
    constructor(@Inject(OidcSignInService) private readonly signIns: OidcSignInService) {}

    @Get(':provider')
    @Open()
    @Redirect()
    async begin(
      @Param('provider') provider: string,
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
    ): Promise<{ url: string }> {
      const wanted = new URLSearchParams(searchOf(request)).get('return_to');
      return go(response, await this.signIns.begin(provider, wanted, request));
    }

    @Get(':provider/callback')
    @Open()
    @Redirect()
    async finish(
      @Param('provider') provider: string,
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
    ): Promise<{ url: string }> {
      return go(response, await this.signIns.finish(provider, searchOf(request), request));
    }
  }
  return OidcController;
}

/** The query as received, because providers add parameters of their own. */
function searchOf({ url = '' }: HttpRequest): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

function go(response: HttpResponse, { url, cookies }: NextStep): { url: string } {
  for (const cookie of cookies) addCookie(response, cookie);
  // The current URL contains a code of the provider, so it must not be sent as a referrer.
  setHeader(response, 'Referrer-Policy', 'no-referrer');
  return { url: url.href };
}
