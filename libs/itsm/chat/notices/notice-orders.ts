import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import { TaskQueue } from '#outbox';
import { letsThrough, type RoutedIncident, type Routing } from '../../decide/routing.js';
import { IncidentDepartments, type IncidentPerson } from '../../tickets/incident-departments.js';
import { ChatAdapters } from '../chat-adapters.js';
import { NOTICE_QUEUE } from '../notice-task.js';
import type { NoticeSubject } from '../setup/notification-routing.js';

/** Number of days for which the messages of a subject are updated. */
const FOLLOWED_DAYS = 90;

const TIDY = `delete from ${SCHEMA}.chat_notices n using ${SCHEMA}.chat_workspaces w
where n.org_id = $1 and w.org_id = $1 and n.workspace_id = w.id and n.created_at < $2`;

const ROUTINGS = prepared(
  'chats_to_notify',
  `select id, notifications -> $2 as routing from ${SCHEMA}.chat_workspaces
where org_id = $1 and notifications ? $2 order by id`,
);

// Each workspace gets one notification per subject, even if the transaction of the subject is repeated.
const ANNOUNCE = prepared(
  'announce_in_chats',
  `
with made as (
  insert into ${SCHEMA}.chat_notices (org_id, id, workspace_id, subject, subject_id, state, stage, created_at)
  select $1, gen_random_uuid(), w.id, $2, s.id, $5, 'pending', $6
  from unnest($3::uuid[], $4::uuid[]) as s (id, workspace_id)
  join ${SCHEMA}.chat_workspaces w on w.org_id = $1 and w.id = s.workspace_id
  on conflict do nothing
  returning id, workspace_id),
queued as (
  insert into ${SCHEMA}.tasks (org_id, id, queue, key, due_at, attempt, subject)
  select $1, id, '${NOTICE_QUEUE}', workspace_id::text, ${SCHEMA}.now(), 1, '{}' from made)
select exists (select from made) as is_work`,
);

// Inserts tasks before it increments versions. A worker may end a task at the same time. Either it has already
// committed, and the task is inserted again, or it sees the new version. The update of an existing task changes
// nothing, but locks the task until the commit. Without this lock, a worker could end the task before the version is
// incremented, and the change would be lost.
const QUEUE = (changed: string): string => `
with changed as (${changed}),
queued as (
  insert into ${SCHEMA}.tasks (org_id, id, queue, key, due_at, attempt, subject)
  select $1, id, '${NOTICE_QUEUE}', workspace_id::text, ${SCHEMA}.now(), 1, '{}' from changed order by id
  on conflict (org_id, id) do update set key = excluded.key)
select id, state from changed`;

const OF_INCIDENTS = prepared(
  'changed_incidents_in_chats',
  QUEUE(`
  select n.id, n.workspace_id, i.status as state from ${SCHEMA}.chat_notices n
  join ${SCHEMA}.incidents i on i.org_id = $1 and i.id = n.subject_id
  join ${SCHEMA}.chat_workspaces w on w.org_id = $1 and w.id = n.workspace_id
  where n.org_id = $1 and n.state <> i.status and n.stage <> 'failed' and w.platform = any ($3::text[])
    and (i.id = any ($2::uuid[]) or i.id in (
      select f.follows from ${SCHEMA}.incidents f where f.org_id = $1 and f.id = any ($2::uuid[])))`),
);

const OF_APPROVALS = prepared(
  'changed_approvals_in_chats',
  QUEUE(`
  select n.id, n.workspace_id, 'changed' as state from ${SCHEMA}.chat_notices n
  join ${SCHEMA}.chat_workspaces w on w.org_id = $1 and w.id = n.workspace_id
  where n.org_id = $1 and n.subject_id = any ($2::uuid[]) and n.stage <> 'failed' and w.platform = any ($3::text[])`),
);

const GROW = prepared(
  'grow_notices',
  `update ${SCHEMA}.chat_notices n set version = n.version + 1, state = c.state
from unnest($2::uuid[], $3::text[]) as c (id, state) where n.org_id = $1 and n.id = c.id`,
);

/** A subject to announce, with the properties that routing compares. */
export interface AnnouncedSubject extends Omit<RoutedIncident, 'department'> {
  readonly id: string;
  readonly person: IncidentPerson;
}

/** A workspace that gets notifications of a kind. */
interface NotifiedChat {
  readonly id: string;
  readonly routing: Routing;
}

/** Creates notifications, and updates of their messages, in the transaction that causes them. */
@Injectable()
export class NoticeOrders {
  private readonly changing: readonly string[];

  constructor(
    private readonly tasks: TaskQueue,
    private readonly clock: Clock,
    private readonly departments: IncidentDepartments,
    adapters: ChatAdapters,
  ) {
    this.changing = adapters.all.filter(({ notifier }) => notifier?.update !== undefined).map(({ kind }) => kind);
  }

  /**
   * Creates a notification of each subject for each workspace whose routing accepts the subject.
   * @param read reads the subjects; it is called only if a workspace gets notifications of this kind
   */
  async announce(
    em: EntityManager,
    orgId: string,
    kind: NoticeSubject,
    state: string,
    read: () => readonly AnnouncedSubject[] | Promise<readonly AnnouncedSubject[]>,
  ): Promise<void> {
    const tx = sqlOf(em);
    const chats = await tx.query<NotifiedChat>(ROUTINGS, [orgId, `${kind}s`]);
    if (chats.length === 0) return;
    const wanted = await this.route(orgId, chats, await read());
    if (wanted.length === 0) return;
    const now = this.clock.now();
    const [made] = await tx.query<{ is_work: boolean }>(ANNOUNCE, [
      ...[orgId, kind],
      plainArray(wanted, ({ id }) => id),
      plainArray(wanted, ({ chatId }) => chatId),
      ...[state, now],
    ]);
    if (!made?.is_work) return;
    await tx.query(TIDY, [orgId, new Date(now.getTime() - FOLLOWED_DAYS * 86_400_000)]);
    await this.tasks.wake(em, NOTICE_QUEUE);
  }

  /** Schedules an update of every message that shows an outdated status of its subject. */
  async changed(em: EntityManager, orgId: string, subject: NoticeSubject, ids: readonly string[]): Promise<void> {
    if (this.changing.length === 0) return;
    const found = await sqlOf(em).query<{ id: string; state: string }>(
      subject === 'incident' ? OF_INCIDENTS : OF_APPROVALS,
      [orgId, plainArray(ids, id => id), textArray(this.changing, kind => kind)],
    );
    if (found.length === 0) return;
    await sqlOf(em).query(GROW, [orgId, plainArray(found, ({ id }) => id), textArray(found, ({ state }) => state)]);
    await this.tasks.wake(em, NOTICE_QUEUE);
  }

  /**
   * Selects the subjects for each workspace. The user directory is read only if the routing of a workspace uses
   * departments.
   */
  private async route(
    orgId: string,
    chats: readonly NotifiedChat[],
    subjects: readonly AnnouncedSubject[],
  ): Promise<{ id: string; chatId: string }[]> {
    const asksDepartments = chats.some(({ routing }) => routing.departments !== undefined);
    const people = subjects.map(({ person }) => person);
    const departments = asksDepartments ? await this.departments.of(orgId, people) : [];
    return subjects.flatMap(({ id, severity, policyId }, at) => {
      const routed = { severity, policyId, department: departments[at] ?? null };
      return chats.filter(({ routing }) => letsThrough(routing, routed)).map(chat => ({ id, chatId: chat.id }));
    });
  }
}
