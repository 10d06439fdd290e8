import type { HttpRequest } from '../request/http-request.js';
import type { Principal } from '../principals/principal.js';

/**
 * Turns a request into the principal behind it. The default reads `Authorization: Bearer` and accepts access tokens
 * and JWTs of configured identity providers; a host that has signed its people in already supplies its own.
 */
export abstract class PrincipalResolver {
  /**
   * The principal, or null where the request carries no valid credential (the caller answers 401). Called once per
   * request, and again while its answer goes on, as that of a stream does; must be fast. Throw only when the answer cannot be known, such as a database that is out of reach.
   */
  abstract resolve(request: HttpRequest): Promise<Principal | null>;
}
