import { Injectable } from '@nestjs/common';
import { UsageActivity, type HourlyUsage, type PersonalUsage, type SqlTransaction, type TouchedHour } from '#core';
import { OrgDatabase, plainArray, prepared, SCHEMA } from '#database';

const NOBODY = '00000000-0000-0000-0000-000000000000';

const ORGANIZATIONS = `select org_id from ${SCHEMA}.organizations_with_touched_hours($1, $2)`;

const TOUCHED = `
select (extract(epoch from hour) * 1000)::text as hour, touches::text
from ${SCHEMA}.usage_touched_hours where org_id = $1 order by usage_touched_hours.hour limit $2`;

const SETTLE = `
delete from ${SCHEMA}.usage_touched_hours t using unnest($2::timestamptz[], $3::bigint[]) as seen (hour, touches)
where t.org_id = $1 and t.hour = seen.hour and t.touches = seen.touches`;

// Reads the users of each hour in index order, and stops when the page is full.
const PEOPLE = prepared(
  'usage_activity_people',
  `select distinct page.user_id from unnest($2::timestamptz[]) as touched (hour), lateral (
     select distinct user_id from ${SCHEMA}.usage_hourly
     where org_id = $1 and hour = touched.hour and user_id > $3 order by user_id limit $4) page
   order by page.user_id limit $4`,
);

const FIGURES = `sum(requests)::text as requests, sum(input_tokens + output_tokens)::text as tokens, sum(cost_usd)::text as cost`;

const OF_PEOPLE = prepared(
  'usage_activity_of_people',
  `select user_id, model, (extract(epoch from hour) * 1000)::text as hour, ${FIGURES}
   from ${SCHEMA}.usage_hourly
   where org_id = $1 and user_id = any($2::uuid[]) and hour = any($3::timestamptz[])
   group by user_id, model, usage_hourly.hour`,
);

const TOTALS = `
select (extract(epoch from hour) * 1000)::text as hour, ${FIGURES}
from ${SCHEMA}.usage_hourly where org_id = $1 and hour = any($2::timestamptz[])
group by usage_hourly.hour order by usage_hourly.hour`;

interface FigureRow {
  readonly hour: string;
  readonly requests: string;
  readonly tokens: string;
  readonly cost: string;
}

interface PersonRow extends FigureRow {
  readonly user_id: string;
  readonly model: string;
}

/** Reads hourly usage from the rollups. */
@Injectable()
export class StoredUsageActivity extends UsageActivity {
  constructor(private readonly database: OrgDatabase) {
    super();
  }

  override async organizations(after: string = NOBODY, limit: number): Promise<string[]> {
    const rows = await this.database.global<{ org_id: string }>(ORGANIZATIONS, [after, limit]);
    return rows.map(row => row.org_id);
  }

  override async touched(tx: SqlTransaction, orgId: string, limit: number): Promise<TouchedHour[]> {
    const rows = await tx.query<{ hour: string; touches: string }>(TOUCHED, [orgId, limit]);
    return rows.map(row => ({ hour: new Date(Number(row.hour)), touches: Number(row.touches) }));
  }

  override async settle(tx: SqlTransaction, orgId: string, hours: readonly TouchedHour[]): Promise<void> {
    const seen = [arrayOf(hours.map(({ hour }) => hour)), plainArray(hours, ({ touches }) => touches)];
    await tx.query(SETTLE, [orgId, ...seen]);
  }

  override async people(
    tx: SqlTransaction,
    orgId: string,
    hours: readonly Date[],
    after: string = NOBODY,
    limit: number,
  ): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }>(PEOPLE, [orgId, arrayOf(hours), after, limit]);
    return rows.map(row => row.user_id);
  }

  override async ofPeople(
    tx: SqlTransaction,
    orgId: string,
    userIds: readonly string[],
    hours: readonly Date[],
  ): Promise<PersonalUsage[]> {
    const rows = await tx.query<PersonRow>(OF_PEOPLE, [orgId, plainArray(userIds, id => id), arrayOf(hours)]);
    return rows.map(row => Object.assign(figuresOf(row), { userId: row.user_id, model: row.model }));
  }

  override async totals(tx: SqlTransaction, orgId: string, hours: readonly Date[]): Promise<HourlyUsage[]> {
    return (await tx.query<FigureRow>(TOTALS, [orgId, arrayOf(hours)])).map(figuresOf);
  }
}

function figuresOf({ hour, requests, tokens, cost }: FigureRow): HourlyUsage {
  return {
    hour: new Date(Number(hour)),
    requests: Number(requests),
    tokens: Number(tokens),
    costUsd: Number(cost),
  };
}

function arrayOf(times: readonly Date[]): string {
  return plainArray(times, time => time.toISOString());
}
