import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, newId, type Page, type PageQuery } from '#core';
import { KeysetLists, newestFirst, OrgDatabase, plainSql, SCHEMA, sqlOf, type TableList } from '#database';
import { TaskQueue } from '#outbox';
import { parseDateRange } from '../periods/index.js';
import { RERATING_QUEUE, type ReratingPayload } from './rerating-task.js';
import { ReratingNotFoundError, ReratingUnderWayError, type Rerating, type ReratingScope } from './rerating.js';

const instant = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;

const COLUMNS = `id, status, to_char(start_date, 'YYYY-MM-DD') as start_date, to_char(end_date, 'YYYY-MM-DD') as end_date,
  provider, model, events_examined::text, events_adjusted::text, adjustment_usd::text, ${instant('created_at')},
  ${instant('finished_at')}`;

const BEGIN = `
insert into ${SCHEMA}.usage_reratings (org_id, id, status, start_date, end_date, provider, model, created_at)
values ($1, $2, 'pending', $3::date, $4::date, $5, $6, $7)
on conflict (org_id) where status in ('pending', 'running') do nothing
returning ${COLUMNS}`;

const FIND = `select ${COLUMNS} from ${SCHEMA}.usage_reratings where org_id = $1 and id = $2`;

const RERATINGS: TableList<Rerating> = {
  name: 'reratings',
  table: 'usage_reratings',
  as: 'r',
  rows: plainSql(COLUMNS),
  order: newestFirst('r.id'),
};

/** Reprices stored usage after price corrections. */
@Injectable()
export class Reratings {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly tasks: TaskQueue,
    private readonly audit: AuditLog,
    private readonly lists: KeysetLists,
  ) {}

  /**
   * Starts a re-rating in the background. It continues after a restart. It prices each event in the range with the
   * organization's current price list, at the time of the event. It skips events whose cost the sender stated. Stored
   * events do not change: reports and budgets add the difference as an adjustment. A second run with the same prices
   * changes nothing.
   * @throws ReratingUnderWayError if another re-rating of the organization is running
   * @throws BadRequestError if a day does not exist, or the days are in the wrong order
   */
  async begin(actor: Actor, scope: ReratingScope): Promise<Rerating> {
    const { orgId } = actor;
    const { startDate, endDate, provider, model } = scope;
    const { from, until } = parseDateRange(startDate, endDate);
    const now = this.clock.now();
    const id = newId(now);
    const payload: ReratingPayload = {
      from: (from ?? new Date(0)).toISOString(),
      until: until?.toISOString() ?? null,
      provider,
      model,
      isBegun: false,
      after: null,
    };
    return this.database.transaction(orgId, async em => {
      const values = [orgId, id, startDate, endDate, provider, model, now.toISOString()];
      const [rerating] = await sqlOf(em).query<Rerating>(BEGIN, values);
      if (!rerating) throw new ReratingUnderWayError();
      await this.tasks.add(em, orgId, [{ id, queue: RERATING_QUEUE, key: id, payload }]);
      await this.remember(em, actor, rerating);
      return rerating;
    });
  }

  /** @throws ReratingNotFoundError */
  async get(orgId: string, id: string): Promise<Rerating> {
    const [found] = await this.database.transaction(orgId, em => sqlOf(em).query<Rerating>(FIND, [orgId, id]));
    if (!found) throw new ReratingNotFoundError(id);
    return found;
  }

  /**
   * Lists re-ratings, newest first.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: PageQuery, show: (rerating: Rerating) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, RERATINGS, show);
  }

  private remember(em: EntityManager, actor: Actor, rerating: Rerating): Promise<void> {
    const { id, start_date, end_date, provider, model } = rerating;
    return this.audit.append(em, actor, {
      action: 'price.rerating_begun',
      resourceType: 'price_rerating',
      resourceId: id,
      before: null,
      after: { start_date, end_date, provider, model },
    });
  }
}
