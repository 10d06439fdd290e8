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
 * Governs a route of the host: requests a decision before the handler runs. A refusal results in 402, 403 or 429 in our
 * error format. The usage of the result is recorded before the response is sent. Streams (`AsyncIterable`, `Readable`,
 * `StreamableFile`, and `@Sse` observables) are metered while they are sent. The controller's module must import
 * `GovernanceModule`, unless `GovernanceModule` is global. This is an interceptor, not a guard: it runs after all
 * guards of the host, so that no guard can refuse the request after money was reserved.
 */
export function Governed(route: GovernedRoute): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(GOVERNED_ROUTE, route), UseInterceptors(GovernedInterceptor));
}

/** The decision of a {@link Governed} route; undefined if the call passed without a decision. */
export const GovernedDecision: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Decision | undefined =>
    decisionOf(context.switchToHttp().getRequest<HttpRequest>()),
);
