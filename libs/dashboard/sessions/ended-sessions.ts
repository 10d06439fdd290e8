import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PersonalCredentials, type AuditEntry, type CredentialStore, type Leaver } from '#access';
import { sqlOf } from '#database';

const END_ALL = `
with ended as (
  select id from governance.dashboard_sessions
  where org_id = $1 and user_id = $2 and ended_at is null order by id for update)
update governance.dashboard_sessions s set ended_at = $3 from ended
where s.org_id = $1 and s.id = ended.id returning s.id, s.name`;

/** Ends the sessions of leaving users. The sessions stay ended even if the users return. */
@Injectable()
export class EndedSessions implements CredentialStore, OnModuleInit {
  constructor(private readonly credentials: PersonalCredentials) {}

  onModuleInit(): void {
    this.credentials.add(this);
  }

  async revokeAllOf(em: EntityManager, { orgId, userId, now }: Leaver): Promise<AuditEntry[]> {
    const ended = await sqlOf(em).query<{ id: string; name: string }>(END_ALL, [orgId, userId, now]);
    return ended.map(({ id, name }) => ({
      action: 'session.revoked',
      resourceType: 'session',
      resourceId: id,
      before: { name, user_id: userId },
      after: null,
    }));
  }
}
