import { Injectable } from '@nestjs/common';
import { OrganizationStates } from '#core';
import type { HttpRequest } from '../request/http-request.js';
import { PrincipalResolver } from './principal-resolver.port.js';
import type { Principal } from '../principals/principal.js';

/**
 * Resolves the principal of a request: first from sources that libraries have added, such as browser sessions, then
 * from the {@link PrincipalResolver}.
 */
@Injectable()
export class RequestPrincipals {
  private readonly sources: PrincipalResolver[] = [];

  constructor(
    private readonly resolver: PrincipalResolver,
    private readonly organizations: OrganizationStates,
  ) {}

  /** Adds a source. Call it during module initialization. */
  add(source: PrincipalResolver): void {
    this.sources.push(source);
  }

  /**
   * The principal; null if the request has no valid credential.
   * @throws OrganizationSuspendedError if the credential is valid but its organization is suspended
   */
  async resolve(request: HttpRequest): Promise<Principal | null> {
    const principal = await this.find(request);
    if (principal) await this.assertActive(principal);
    return principal;
  }

  /**
   * Checks that the organization is not suspended. Resolvers of the host do not check this.
   * @throws OrganizationSuspendedError
   * @throws OrganizationNotFoundError
   */
  async assertActive({ orgId }: Principal): Promise<void> {
    await this.organizations.assertActive(orgId);
  }

  /** The principal, even if its organization is suspended. */
  async find(request: HttpRequest): Promise<Principal | null> {
    for (const source of this.sources) {
      const principal = await source.resolve(request);
      if (principal) return principal;
    }
    return this.resolver.resolve(request);
  }
}
