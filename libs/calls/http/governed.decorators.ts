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
 * Governs a route of the host: decides before the handler runs, answers 402, 403 or 429 in our error body where it is
 * refused, and records what the result used before it is answered. Streams (`AsyncIterable`, `Readable`,
 * `StreamableFile`, and `@Sse` observables) are metered as they pass. The controller's module imports
 * `GovernanceModule`, or that is global.
 *
 * An interceptor and no guard: the host's own guards have let the request in, so that none can refuse it after money
 * was reserved.
 */
export function Governed(route: GovernedRoute): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(GOVERNED_ROUTE, route), UseInterceptors(GovernedInterceptor));
}

/** The decision of a {@link Governed} route; undefined where the call passed undecided. */
export const GovernedDecision: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Decision | undefined =>
    decisionOf(context.switchToHttp().getRequest<HttpRequest>()),
);
