import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';

/** Metadata key that marks the controllers of this package. */
export const GOVERNANCE_ROUTE = 'governance:route';

/**
 * Whether a request is for a route of this package. For global guards, throttlers and interceptors of a host: our
 * routes have their own authentication, limits and response format.
 * @example if (isGovernanceRoute(context)) return next.handle();
 */
export function isGovernanceRoute(context: ExecutionContext | (ArgumentsHost & Partial<ExecutionContext>)): boolean {
  const controller = context.getClass?.();
  return controller !== undefined && Reflect.getMetadata(GOVERNANCE_ROUTE, controller) === true;
}
