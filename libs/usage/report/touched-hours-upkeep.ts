import { Injectable } from '@nestjs/common';
import { Clock, UsageActivity } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';

const ORGANIZATIONS = 100;
/** Maximum number of hours that one statement deletes, so that other transactions do not wait long. */
const HOURS = 1_000;
/** Maximum milliseconds of one run, so that the app stops quickly. */
const ROUND_MS = 2_000;
/**
 * Days for which a changed hour is kept. It exceeds the maximum delay of events and the window of every reader, 90 days
 * each.
 */
const KEPT_DAYS = 100;
const DAY_MS = 86_400_000;

const FORGET = `
with old as (
  select hour from ${SCHEMA}.usage_touched_hours where org_id = $1 and hour < $2 order by hour limit ${HOURS}
  for update skip locked)
delete from ${SCHEMA}.usage_touched_hours t using old where t.org_id = $1 and t.hour = old.hour returning 1 as forgotten`;

/**
 * Deletes changed hours that no reader has processed, once a day. Otherwise, the table would grow in apps that have no
 * reader.
 */
@Injectable()
export class TouchedHoursUpkeep {
  /** Deletes all old rows. Returns their number. */
  readonly forget: () => Promise<number>;
  /** Cursor of the next run; undefined at the start. */
  private after: string | undefined;

  constructor(
    private readonly database: OrgDatabase,
    private readonly activity: UsageActivity,
    private readonly clock: Clock,
    scheduler: Scheduler,
  ) {
    this.forget = scheduler.add({
      name: 'usage-touched-hours',
      pattern: '40 17 3 * * *',
      failure: 'Old rows of changed usage hours could not be deleted',
      round: () => this.round(),
    });
  }

  /** Deletes old rows for a limited time. Returns 0 only if it has checked all organizations and found no old row. */
  private async round(): Promise<number> {
    const endsAt = performance.now() + ROUND_MS;
    const before = new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MS);
    let sum = 0;
    for (;;) {
      const organizations = await this.activity.organizations(this.after, ORGANIZATIONS);
      if (organizations.length === 0) break;
      for (const orgId of organizations) {
        for (let forgotten = HOURS; forgotten === HOURS; sum += forgotten) forgotten = await this.ofOne(orgId, before);
        this.after = orgId;
        if (performance.now() >= endsAt) return Math.max(sum, 1);
      }
    }
    this.after = undefined;
    return sum;
  }

  private async ofOne(orgId: string, before: Date): Promise<number> {
    const rows = await this.database.transaction(orgId, em => sqlOf(em).query(FORGET, [orgId, before.toISOString()]));
    return rows.length;
  }
}
