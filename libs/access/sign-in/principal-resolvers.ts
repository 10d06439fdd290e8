import { RateLimitedError } from '#core';
import type { HttpRequest } from '../request/http-request.js';
import type { Principal } from '../principals/principal.js';
import { PrincipalResolver } from './principal-resolver.port.js';

/**
 * Tries several resolvers in order, and returns the first principal. If a resolver refuses because of its rate limit,
 * the next resolvers are still tried. Its error is thrown only if no resolver finds a principal.
 */
export class PrincipalResolvers extends PrincipalResolver {
  constructor(private readonly resolvers: readonly PrincipalResolver[]) {
    super();
  }

  async resolve(request: HttpRequest): Promise<Principal | null> {
    let refusal: RateLimitedError | undefined;
    for (const resolver of this.resolvers) {
      try {
        const principal = await resolver.resolve(request);
        if (principal) return principal;
      } catch (error) {
        if (!(error instanceof RateLimitedError)) throw error;
        refusal ??= error;
      }
    }
    if (refusal) throw refusal;
    return null;
  }
}
