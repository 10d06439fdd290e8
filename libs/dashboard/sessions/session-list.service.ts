import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { Clock, ForbiddenError, NotFoundError, UserDirectory, type Page, type PageQuery } from '#core';
import { equal, KeysetLists, newestFirst, OrgDatabase, sql, sqlOf, type Sql } from '#database';
import { DashboardSession } from './session.entity.js';
import { IDLE_MS } from './session-times.js';

/** A session with the current e-mail address of its user. */
export interface ListedSession {
  readonly session: DashboardSession;
  readonly userEmail: string | null;
}

/** The caller can see no active session with this id. */
class SessionNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such session.');
  }
}

const END = `
update governance.dashboard_sessions set ended_at = $3
where org_id = $1 and id = $2 and ended_at is null returning name, user_id, credential_id`;

/**
 * Lists and ends sessions of browsers. A caller without `tokens:read` sees only their own sessions. Ending the sessions
 * of other users requires `tokens:write`.
 */
@Injectable()
export class SessionListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly users: UserDirectory,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns one page of active sessions, newest first.
   * @throws BadRequestError if the cursor is not valid here
   */
  async list(actor: Actor, query: PageQuery): Promise<Page<ListedSession>> {
    const own = actor.scopes.has('tokens:read') ? {} : ownOf(actor);
    const now = this.clock.now();
    const list = {
      name: 'dashboard_sessions',
      filters: own,
      table: 'dashboard_sessions',
      as: 's',
      where: [...equalIn('s', own), sql`s.ended_at is null and s.expires_at > ${now}`, notIdle(now)],
      rows: DashboardSession,
      order: newestFirst('s.id'),
    };
    const page = await this.lists.page(actor.orgId, query, list, session => session);
    const ids = page.items.flatMap(({ userId }) => userId ?? []);
    const emails = ids.length > 0 ? await this.users.emails(actor.orgId, ids) : new Map<string, string>();
    return {
      ...page,
      items: page.items.map(session => ({ session, userEmail: emails.get(session.userId ?? '') ?? null })),
    };
  }

  /**
   * Ends a session.
   * @throws NotFoundError if the caller can see no active session with the id
   */
  async end(actor: Actor, id: string): Promise<void> {
    const own = ownOf(actor);
    await this.database.transaction(actor.orgId, async em => {
      const found = await em.findOne(DashboardSession, { orgId: actor.orgId, id, endedAt: null });
      const isOwn = found !== null && Object.entries(own).every(([column, value]) => valueOf(found, column) === value);
      if (!found || (!isOwn && !actor.scopes.has('tokens:read'))) throw new SessionNotFoundError();
      if (!isOwn && !actor.scopes.has('tokens:write')) {
        throw new ForbiddenError('To end the session of another person, you need the scope tokens:write.');
      }
      const [ended] = await sqlOf(em).query<{ name: string; user_id: string | null; credential_id: string }>(END, [
        ...[actor.orgId, id, this.clock.now()],
      ]);
      if (!ended) throw new SessionNotFoundError();
      await this.audit.append(em, actor, {
        action: 'session.revoked',
        resourceType: 'session',
        resourceId: id,
        before: { ...ended },
        after: null,
      });
    });
  }
}

/** The filter for the caller's own sessions: by the user, or by the credential if it has no user. */
function ownOf({ userId, id }: Actor): { user_id?: string; credential_id?: string } {
  return userId === undefined ? { credential_id: id } : { user_id: userId };
}

function equalIn(as: string, columns: Readonly<Record<string, string>>): Sql[] {
  return equal(Object.fromEntries(Object.entries(columns).map(([name, value]) => [`${as}.${name}`, value])));
}

function valueOf({ userId, credentialId }: DashboardSession, column: string): string | null {
  return column === 'user_id' ? userId : credentialId;
}

function notIdle(now: Date): Sql {
  return sql`s.last_input_at > ${new Date(now.getTime() - IDLE_MS)}`;
}
