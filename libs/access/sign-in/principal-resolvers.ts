import { RateLimitedError } from '#core';
import type { HttpRequest } from '../request/http-request.js';
import type { Principal } from '../principals/principal.js';
import { PrincipalResolver } from './principal-resolver.port.js';

/**
 * Asks several resolvers in turn; the first principal counts. One that has too many sign-ins to look at leaves the
 * request to the others, and its refusal stands only where none of them knows who is asking.
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
