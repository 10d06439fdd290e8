import {
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseInterceptors,
  type ExecutionContext,
} from '@nestjs/common';
import type { HttpRequest } from '#access';
import type { Decision } from '#policy';
import { decisionOf } from './governed-request.js';
import type { GovernedRoute } from './governed-route.js';
import { GOVERNED_ROUTE, GovernedInterceptor } from './governed.interceptor.js';

/**
 * Governs a route of the host: decides before the handler runs. A refusal is answered with 402, 403 or 429 in our error
 * format. The usage of the result is recorded before it is answered. Streams (`AsyncIterable`, `Readable`,
 * `StreamableFile`, and `@Sse` observables) are metered as they pass. The controller's module must import
 * `GovernanceModule`, unless that is global.
 * It is an interceptor, not a guard: it runs after all guards of the host, so none of them can refuse the request after
 * money was reserved.
 */
export function Governed(route: GovernedRoute): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(GOVERNED_ROUTE, route), UseInterceptors(GovernedInterceptor));
}

/** The decision of a {@link Governed} route; undefined if the call passed without a decision. */
export const GovernedDecision: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Decision | undefined =>
    decisionOf(context.switchToHttp().getRequest<HttpRequest>()),
);
