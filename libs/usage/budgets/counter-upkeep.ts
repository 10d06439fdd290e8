import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { USAGE_OPTIONS, type UsageOptions } from '../usage.options.js';

const ORGANIZATIONS = `select id from ${SCHEMA}.organization_ids() as id order by id`;

/** Maximum number of rows per statement, so that other transactions do not wait long. */
const BATCH = 1_000;
const DAY_MS = 86_400_000;
const DEFAULT_RETENTION_DAYS = 400;
/** Retention drops whole months, so an event may be kept up to 31 days longer. */
const MONTH_DAYS = 31;

// Usage of such a window is no longer stored: it can neither be re-rated nor come late, since 90 days are the maximum.
const WINDOWS = `
with old as (
  select w.budget_id, w.window_start, w.part from ${SCHEMA}.budgets b
  join ${SCHEMA}.budget_windows w on w.org_id = b.org_id and w.budget_id = b.id
  where b.org_id = $1 and b.split_by is not null and w.window_start < $2 and w.window_end < $2 and w.reserved_usd = 0
  limit ${BATCH} for update of w skip locked)
delete from ${SCHEMA}.budget_windows w using old
where w.org_id = $1 and w.budget_id = old.budget_id and w.window_start = old.window_start and w.part = old.part
returning 1 as forgotten`;

// A minute after its last claim, a counter is zero.
const COUNTERS = `
with old as (
  select c.limit_id, c.part from ${SCHEMA}.limit_counters c
  where c.org_id = $1 and c.touched_at < ${SCHEMA}.now() - interval '10 minutes' limit ${BATCH} for update skip locked)
delete from ${SCHEMA}.limit_counters c using old
where c.org_id = $1 and c.limit_id = old.limit_id and c.part = old.part returning 1 as forgotten`;

const LEASES = `
with old as (
  select x.limit_id, x.part, x.replica from ${SCHEMA}.limit_leases x
  where x.org_id = $1 and x.expires_at < ${SCHEMA}.now() - interval '10 minutes' limit ${BATCH} for update skip locked)
delete from ${SCHEMA}.limit_leases x using old
where x.org_id = $1 and x.limit_id = old.limit_id and x.part = old.part and x.replica = old.replica
returning 1 as forgotten`;

/**
 * Deletes counters that can no longer change: windows of split budgets whose usage is not stored any more, and counters
 * and leases of limits that were not used for ten minutes. Runs each hour.
 */
@Injectable()
export class CounterUpkeep {
  /** Deletes all counters that are no longer needed; returns their number. */
  readonly forget: () => Promise<number>;
  private readonly keptDays: number;

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    @Inject(USAGE_OPTIONS) options: UsageOptions,
    scheduler: Scheduler,
  ) {
    this.keptDays = (options.retentionDays ?? DEFAULT_RETENTION_DAYS) + MONTH_DAYS;
    this.forget = scheduler.add({
      name: 'counter-upkeep',
      pattern: '50 37 * * * *',
      failure: 'Old counters of budgets and limits could not be deleted',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - this.keptDays * DAY_MS).toISOString();
    let sum = 0;
    for (const { id } of await this.database.global<{ id: string }>(ORGANIZATIONS)) {
      sum += await this.delete(WINDOWS, [id, before]);
      sum += await this.delete(COUNTERS, [id]);
      sum += await this.delete(LEASES, [id]);
    }
    return sum;
  }

  private async delete(statement: string, [orgId = '', ...more]: readonly string[]): Promise<number> {
    let sum = 0;
    for (let some = BATCH; some === BATCH; sum += some) {
      const rows = await this.database.transaction(orgId, em => sqlOf(em).query(statement, [orgId, ...more]));
      some = rows.length;
    }
    return sum;
  }
}
