import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  OrganizationService,
  PrincipalResolver,
  RequestPrincipals,
  ROLE_SCOPES,
  type HttpRequest,
  type Principal,
  type Scope,
} from '#access';
import { UserDirectory } from '#core';
import { isFromHere, refuseForgery } from '../sessions/same-origin.js';
import { HOST_SIGN_IN, type DashboardAccess, type DashboardUser, type HostSignIn } from './host-sign-in.js';

/**
 * Finds the principal of a request if the host signs people in. Browsers send the host's cookie automatically, also
 * with forged requests. A request that changes data must therefore prove that it comes from the page.
 */
@Injectable()
export class HostVisitors extends PrincipalResolver implements OnModuleInit {
  constructor(
    @Inject(HOST_SIGN_IN) private readonly host: HostSignIn,
    private readonly principals: RequestPrincipals,
    private readonly organizations: OrganizationService,
    private readonly users: UserDirectory,
  ) {
    super();
  }

  onModuleInit(): void {
    this.principals.add(this);
  }

  /**
   * The principal; null if the host identifies nobody.
   * @throws ForbiddenError if the request changes data and does not come from the page
   */
  async resolve(request: HttpRequest): Promise<Principal | null> {
    // An explicit credential takes precedence over the cookie.
    if (request.headers.authorization !== undefined || !isFromHere(request)) return null;
    const user = await this.host.resolveUser(request);
    if (!user || !(await this.isLetIn(user))) return null;
    refuseForgery(request);
    const { orgId, id, name, userId } = user;
    const scopes = scopesOf(await this.host.resolveAccess(user, request));
    const principal: Principal = { kind: 'host', orgId: orgId.toLowerCase(), id, name, scopes };
    return userId === undefined ? principal : { ...principal, userId: userId.toLowerCase() };
  }

  private async isLetIn({ orgId, userId }: DashboardUser): Promise<boolean> {
    if (!(await this.organizations.exists(orgId))) return false;
    if (userId === undefined) return true;
    const [user] = await this.users.find(orgId, [{ user_id: userId }]);
    return user?.status === 'active';
  }
}

function scopesOf(access: DashboardAccess): ReadonlySet<Scope> {
  if (typeof access !== 'string') return new Set(access);
  return new Set(
    { all: ROLE_SCOPES.admin, 'read-only': ROLE_SCOPES.auditor, own: ROLE_SCOPES.member, none: [] }[access],
  );
}
