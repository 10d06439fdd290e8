import type { HttpRequest } from '../request/http-request.js';
import type { Principal } from '../principals/principal.js';

/**
 * Finds the principal of a request. The default implementation reads `Authorization: Bearer`, and accepts access tokens
 * and JWTs of configured identity providers. A host with its own authentication provides its own implementation.
 */
export abstract class PrincipalResolver {
  /**
   * The principal; null without a valid credential (the caller answers 401). Called once per request, and repeatedly
   * during streams, so it must be fast. Throw only if the result cannot be determined, for example because the database
   * is unavailable.
   */
  abstract resolve(request: HttpRequest): Promise<Principal | null>;
}
