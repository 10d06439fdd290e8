import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Next,
  NotFoundException,
  Post,
  Req,
  Res,
  SetMetadata,
  UseFilters,
  VERSION_NEUTRAL,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  ErrorFilter,
  GOVERNANCE_ROUTE,
  GovernanceController,
  Open,
  setHeader,
  type HttpRequest,
  type HttpResponse,
} from '#access';
import { BadRequestError } from '#core';
import type { MeResponseDto } from '../me/me.dto.js';
import { MeService } from '../me/me.service.js';
import { oidcController } from '../oidc/oidc.controller.js';
import { OidcProviders } from '../accounts/oidc-providers.js';
import { OidcSignOut } from '../oidc/oidc-sign-out.js';
import { refuseForgery } from '../sessions/same-origin.js';
import { lacksSession, removedCookie, sessionCookie } from '../sessions/session-cookie.js';
import { SignInDto } from '../sessions/session.dto.js';
import { SignInService, type SignedIn } from '../sessions/sign-in.service.js';
import { answerPage, type PageAnswer } from './page-answer.js';
import { PageFiles } from './page-files.js';
import type { PageOptions } from './page.options.js';

// The routes use one parameter per path segment, because Express and Fastify write wildcards differently. No page has
// more segments than this.
const DEPTHS = [1, 2, 3, 4, 5, 6].map(depth => Array.from({ length: depth }, (_, at) => `:p${at + 1}`).join('/'));

/** The controllers of the page, at a path below the module's own path. */
export function pageControllers(options: PageOptions): Type<unknown>[] {
  const page = pageController(options);
  return options.signIn.includes('host') ? [page] : [sessionController(options), oidcController(options.path), page];
}

/** Routes for sign-in and sign-out of a browser. Only the page calls them, so the API reference omits them. */
function sessionController({ path }: PageOptions): Type<unknown> {
  @GovernanceController([path, 'session'].filter(Boolean).join('/'), 'Dashboard')
  @ApiExcludeController()
  class SessionController {
    constructor(
      @Inject(SignInService) private readonly signIns: SignInService,
      @Inject(MeService) private readonly me: MeService,
      @Inject(OidcSignOut) private readonly signOut: OidcSignOut,
    ) {}

    @Post()
    @Open()
    async begin(
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
      @Body() { token, link }: SignInDto,
    ): Promise<MeResponseDto> {
      refuseForgery(request);
      const { principal, secret, session } = await this.signIn(token, link, request);
      setHeader(response, 'Set-Cookie', sessionCookie(request, secret));
      return this.me.of(principal, session);
    }

    private signIn(token: string | undefined, link: string | undefined, request: HttpRequest): Promise<SignedIn> {
      if (token !== undefined) return this.signIns.byToken(token, request);
      if (link !== undefined) return this.signIns.byLink(link, request);
      throw new BadRequestError('Send `token`, an access token, or `link`, the code of a sign-in link.');
    }

    @Post('activity')
    @HttpCode(204)
    @Open()
    async noteInput(@Req() request: HttpRequest): Promise<void> {
      refuseForgery(request);
      await this.signIns.noteInput(request);
    }

    @Delete()
    @HttpCode(204)
    @Open()
    async end(@Req() request: HttpRequest, @Res({ passthrough: true }) response: HttpResponse): Promise<void> {
      refuseForgery(request);
      const next = await this.signOut.addressAfter(await this.signIns.end(request));
      setHeader(response, 'Set-Cookie', removedCookie(request));
      // The script of the page opens this URL itself, because a script cannot follow a redirect to another origin.
      if (next !== undefined) setHeader(response, 'Location', next.href);
    }
  }
  return SessionController;
}

/** The page itself and its files. They are public and need no credential. */
function pageController(options: PageOptions): Type<unknown> {
  @Controller({ path: options.path, version: VERSION_NEUTRAL })
  @SetMetadata(GOVERNANCE_ROUTE, true)
  @UseFilters(ErrorFilter)
  @ApiExcludeController()
  class PageController implements OnModuleInit {
    constructor(
      @Inject(PageFiles) private readonly files: PageFiles,
      @Inject(OidcProviders) private readonly providers: OidcProviders,
      @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
      @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    ) {}

    /**
     * Nest removes the trailing slash of a path. Express treats both forms as equal; Fastify needs a route for each
     * form.
     */
    onModuleInit(): void {
      const { httpAdapter } = this.http;
      if (httpAdapter?.getType() !== 'fastify') return;
      const paths = [this.config.getGlobalPrefix(), options.modulePath, options.path];
      const mount = paths.flatMap(each => each.split('/')).filter(Boolean);
      if (mount.length === 0) return;
      httpAdapter.get(`/${mount.join('/')}/`, (request: HttpRequest, response: HttpResponse) =>
        this.answer(request, response, undefined),
      );
    }

    @Get(['', ...DEPTHS])
    async answer(
      @Req() request: HttpRequest,
      @Res() response: HttpResponse,
      @Next() next: (() => void) | undefined,
    ): Promise<void> {
      const answer = await answerPage(this.files, options, {
        path: (request.url ?? '/').split('?', 1)[0] ?? '/',
        mount: slashesOfMount(request),
        accept: request.headers.accept ?? '',
        acceptEncoding: request.headers['accept-encoding'] ?? '',
        providers: options.signIn.includes('host') ? [] : this.providers.all,
        isSignedOut: !options.signIn.includes('host') && lacksSession(request),
      });
      if (answer) send(response, answer);
      // On Express, a later route may handle the path.
      else if (typeof next === 'function') next();
      else throw new NotFoundException();
    }
  }
  return PageController;
}

/** Number of slashes in the path at which the page is mounted, including the trailing one. */
function slashesOfMount({ route, routeOptions }: HttpRequest): number {
  const pattern = route?.path ?? routeOptions?.url;
  const mount = (typeof pattern === 'string' ? pattern : '/').replace(/\/:p1(\/.*)?$/, '').replace(/\/$/, '');
  return mount.split('/').length;
}

function send(response: HttpResponse, { status, headers, body }: PageAnswer): void {
  for (const [name, value] of Object.entries(headers)) setHeader(response, name, value);
  if ('status' in response && typeof response.status === 'function') {
    response.status(status).send(body);
  } else if ('end' in response) {
    response.statusCode = status;
    response.end(body);
  }
}
