import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';

/** Metadata key of the controllers of this package. */
export const GOVERNANCE_ROUTE = 'governance:route';

/**
 * Whether a request is for a route of this package. For a host's global guards, throttlers and interceptors: our routes
 * bring their own sign-in, limits and form of answers.
 * @example if (isGovernanceRoute(context)) return next.handle();
 */
export function isGovernanceRoute(context: ExecutionContext | (ArgumentsHost & Partial<ExecutionContext>)): boolean {
  const controller = context.getClass?.();
  return controller !== undefined && Reflect.getMetadata(GOVERNANCE_ROUTE, controller) === true;
}
