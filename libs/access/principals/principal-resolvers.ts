import type { HttpRequest } from '../http/http-request.js';
import type { Principal } from './principal.js';
import { PrincipalResolver } from './principal-resolver.port.js';

/** Asks several resolvers in turn; the first principal counts. */
export class PrincipalResolvers extends PrincipalResolver {
  constructor(private readonly resolvers: readonly PrincipalResolver[]) {
    super();
  }

  async resolve(request: HttpRequest): Promise<Principal | null> {
    for (const resolver of this.resolvers) {
      const principal = await resolver.resolve(request);
      if (principal) return principal;
    }
    return null;
  }
}
