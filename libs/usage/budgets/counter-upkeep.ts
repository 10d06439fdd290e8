import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { USAGE_OPTIONS, type UsageOptions } from '../usage.options.js';

const ORGANIZATIONS = `select id from ${SCHEMA}.organization_ids() as id order by id`;

/** Maximum number of rows that one statement deletes, so that other transactions do not wait long. */
const BATCH = 1_000;
const DAY_MS = 86_400_000;
const DEFAULT_RETENTION_DAYS = 400;
/** Retention drops whole months of events. Therefore, an event may be kept up to 31 days longer than configured. */
const MONTH_DAYS = 31;

// The events of such a window have been deleted. Its usage cannot be re-rated, and no late usage can arrive, because
// events may be at most 90 days old.
const WINDOWS = `
with old as (
  select w.budget_id, w.window_start, w.part from ${SCHEMA}.budgets b
  join ${SCHEMA}.budget_windows w on w.org_id = b.org_id and w.budget_id = b.id
  where b.org_id = $1 and b.split_by is not null and w.window_start < $2 and w.window_end < $2 and w.reserved_usd = 0
  limit ${BATCH} for update of w skip locked)
delete from ${SCHEMA}.budget_windows w using old
where w.org_id = $1 and w.budget_id = old.budget_id and w.window_start = old.window_start and w.part = old.part
returning 1 as forgotten`;

// A counter is zero one minute after its last claim.
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
 * Runs each hour and deletes counters that can no longer change. These are windows of split budgets whose events have
 * been deleted, and counters and leases of limits that were unused for ten minutes.
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
