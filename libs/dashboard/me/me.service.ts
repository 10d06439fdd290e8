import { Injectable } from '@nestjs/common';
import { OrganizationService, ROLE_SCOPES, ROLES, type Actor, type Principal, type Role } from '#access';
import { Clock, PACKAGE_VERSION, UserDirectory } from '#core';
import { idleAt, type SessionTimes } from '../sessions/session-times.js';
import type { MeResponseDto } from './me.dto.js';

/** Describes the caller: its principal, user, organization and session. */
@Injectable()
export class MeService {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly users: UserDirectory,
    private readonly clock: Clock,
  ) {}

  /** @param session the session of the request, if it has one */
  async of(actor: Principal, session: (SessionTimes & { id: string }) | undefined): Promise<MeResponseDto> {
    const [organization, user] = await Promise.all([this.organizations.get(actor.orgId), this.userOf(actor)]);
    return {
      kind: actor.kind,
      id: actor.id,
      name: actor.name,
      scopes: [...actor.scopes],
      role: roleOf(actor),
      user,
      organization: { id: organization.id, name: organization.name, time_zone: organization.timeZone },
      version: PACKAGE_VERSION,
      session: session
        ? {
            id: session.id,
            created_at: session.createdAt.toISOString(),
            idle_at: idleAt(session).toISOString(),
            expires_at: session.expiresAt.toISOString(),
          }
        : null,
      now: this.clock.now().toISOString(),
    };
  }

  private async userOf({ orgId, userId }: Principal): Promise<MeResponseDto['user']> {
    if (userId === undefined) return null;
    const [user] = await this.users.find(orgId, [{ user_id: userId }]);
    if (!user) return null;
    const { id, email, name, department, role } = user;
    return { id, email, name, department, role };
  }
}

/** The role with exactly these scopes; null if no role has them. */
function roleOf({ scopes }: Pick<Actor, 'scopes'>): Role | null {
  const hasAll = (role: Role): boolean => ROLE_SCOPES[role].every(scope => scopes.has(scope));
  return ROLES.find(role => ROLE_SCOPES[role].length === scopes.size && hasAll(role)) ?? null;
}
