import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ForbiddenError, RateLimitedError, UnauthorizedError } from '#core';
import { RequestLimiter, type LimitState } from '../limits/request-limiter.js';
import type { Actor, Principal, TokenBounds } from '../principals/principal.js';
import { RequestPrincipals } from '../sign-in/request-principals.js';
import type { Scope } from '../principals/scopes.js';
import { rememberActor } from './actor.js';
import { ClientAddress } from '../request/client-address.js';
import { requestIdOf, setHeader, type HttpRequest, type HttpResponse } from '../request/http-request.js';
import { FURTHER_SCOPES, lackOf, lackOfFurther, OPEN_ROUTE, REQUIRED_SCOPES, UNLIMITED } from './route-metadata.js';
import { SignIns } from '../sign-in/sign-ins.js';
import { rememberVisitor } from './visitor.js';

/**
 * Admits a request if its credential is valid, has a required scope and is within its rate limit. A route without a
 * bearer credential is rate-limited per client address.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: RequestPrincipals,
    private readonly limiter: RequestLimiter,
    private readonly clientAddress: ClientAddress,
    private readonly signIns: SignIns,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const response = http.getResponse<HttpResponse>();
    const requestId = requestIdOf(request);
    setHeader(response, 'X-Request-Id', requestId);
    // Responses contain personal data, so caches must not store them. Routes that serve public documents replace this
    // value later.
    setHeader(response, 'Cache-Control', 'no-store');

    if (this.reflector.get<boolean | undefined>(OPEN_ROUTE, context.getHandler())) {
      const address = this.clientAddress.of(request);
      // All clients without a known address share one rate limit.
      showLimit(response, await this.limiter.consume(`address:${address ?? ''}`));
      rememberVisitor(request, { address, requestId });
      return true;
    }
    const principal = await this.principals.find(request);
    if (!principal) {
      this.signIns.failed(request);
      throw new UnauthorizedError(
        'The access token is missing, invalid or expired; send Authorization: Bearer <token>.',
      );
    }
    // The actor is known after this line. Errors may then reveal to it that the organization does not exist.
    rememberActor(request, new RequestActor(principal, requestId, () => this.clientAddress.of(request)));
    await this.principals.assertActive(principal);
    this.signIns.accepted(request, principal);
    if (!this.reflector.get<boolean | undefined>(UNLIMITED, context.getHandler())) {
      showLimit(response, await this.limiter.consume(`${principal.orgId}:${principal.kind}:${principal.id}`));
    }
    const needed = this.reflector.get<Scope[] | undefined>(REQUIRED_SCOPES, context.getHandler()) ?? [];
    // A route without required scopes refuses every request. If a developer forgets the decorator, the route stays
    // closed.
    if (!needed.some(scope => principal.scopes.has(scope))) {
      throw new ForbiddenError(lackOf(needed));
    }
    const further = this.reflector.get<readonly Scope[] | undefined>(FURTHER_SCOPES, context.getHandler()) ?? [];
    const lacking = further.filter(scope => !principal.scopes.has(scope));
    if (lacking.length > 0) throw new ForbiddenError(lackOfFurther(lacking));
    return true;
  }
}

/** Resolves the client address on first use. Only audit entries need it; decision records do not. */
class RequestActor implements Actor {
  readonly orgId: string;
  readonly kind: Actor['kind'];
  readonly id: string;
  readonly name: string;
  readonly scopes: Actor['scopes'];
  readonly userId?: string;
  readonly issuedBy?: readonly string[];
  readonly issuedByNobody?: boolean;
  readonly token?: TokenBounds;

  constructor(
    principal: Principal,
    readonly requestId: string,
    private readonly findAddress: () => string | null,
  ) {
    this.orgId = principal.orgId;
    this.kind = principal.kind;
    this.id = principal.id;
    this.name = principal.name;
    this.scopes = principal.scopes;
    if (principal.userId !== undefined) this.userId = principal.userId;
    if (principal.issuedBy !== undefined) this.issuedBy = principal.issuedBy;
    if (principal.issuedByNobody !== undefined) this.issuedByNobody = principal.issuedByNobody;
    if (principal.token !== undefined) this.token = principal.token;
  }

  get address(): string | null {
    return this.findAddress();
  }
}

/** Headers RateLimit and RateLimit-Policy as in draft-ietf-httpapi-ratelimit-headers-10. */
function showLimit(response: HttpResponse, state: LimitState | null): void {
  if (!state) return;
  setHeader(response, 'RateLimit-Policy', `"default";q=${state.limit};w=${state.windowSeconds}`);
  setHeader(response, 'RateLimit', `"default";r=${state.remaining};t=${state.resetSeconds}`);
  if (state.exceeded) {
    throw new RateLimitedError(
      `More than ${state.limit} requests in ${state.windowSeconds} seconds; wait ${state.resetSeconds} seconds.`,
      state.resetSeconds,
    );
  }
}
