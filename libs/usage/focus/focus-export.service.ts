import { Injectable } from '@nestjs/common';
import { LONG_READ_MS, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { CsvTable } from '#access';
import { figureColumns } from '../figures/index.js';
import type { DateRange } from '../periods/index.js';
import { FOCUS_COLUMNS, focusColumnsIn, type FocusRow } from './focus-columns.js';

interface Row extends FocusRow {
  start: string;
  attribution_id: string;
}

const CHUNK = 1_000;
const FIRST = ['-infinity', '00000000-0000-0000-0000-000000000000', '', ''];

const day = (sql: string): string => `to_char(${sql}, 'YYYY-MM-DD')`;

// The rows are ordered by the key, so that reading a chunk costs the same at any position.
const PIECE = `
select t.org_id, o.name as organization, t.start::text, t.attribution_id,
  ${day('d.at')} as day, ${day(`d.at + interval '1 day'`)} as next_day,
  ${day(`date_trunc('month', d.at)`)} as month, ${day(`date_trunc('month', d.at) + interval '1 month'`)} as next_month,
  t.provider, t.model, a.department, a.project, a.tags::text,
  ${figureColumns(column => `t.${column}::text`)}, (t.input_tokens + t.output_tokens)::text as tokens,
  x.rate::text, (t.cost_usd * x.rate)::text as converted_cost, (t.list_cost_usd * x.rate)::text as converted_list_cost
from ${SCHEMA}.usage_totals t
cross join lateral (select t.start at time zone 'UTC' as at) d
join ${SCHEMA}.organizations o on o.id = t.org_id
left join lateral (
  select e.rate from ${SCHEMA}.exchange_rates e where e.org_id = t.org_id and e.currency = $8 and e.day <= d.at::date
  order by e.day desc limit 1) x on true
left join ${SCHEMA}.usage_attributions a on a.org_id = t.org_id and a.id = t.attribution_id
where t.org_id = $1 and t.grain_minutes = 1440
  and t.start >= coalesce($2::timestamptz, '-infinity') and t.start < coalesce($3::timestamptz, 'infinity')
  and (t.start, t.attribution_id, t.model, t.provider) > ($4::timestamptz, $5::uuid, $6::text, $7::text)
order by t.start, t.attribution_id, t.model, t.provider limit ${CHUNK}`;

const TABLE = new CsvTable(FOCUS_COLUMNS);

/** Exports usage in the FinOps Open Cost and Usage Specification. */
@Injectable()
export class FocusExport {
  constructor(private readonly database: OrgDatabase) {}

  /**
   * Yields the chunks of a CSV file, the header first. Each chunk is read from the database only after the consumer has
   * taken the previous one. Memory use stays constant, and a slow consumer holds no connection. Costs equal those of
   * reports to the last digit. A currency adds columns with costs in that currency, converted at the rate of each UTC
   * day.
   */
  async *csv(
    orgId: string,
    { from, until }: DateRange,
    currency?: string,
    database = this.database,
  ): AsyncGenerator<string> {
    const range = [from?.toISOString() ?? null, until?.toISOString() ?? null];
    let after = FIRST;
    const table = currency === undefined ? TABLE : new CsvTable(focusColumnsIn(currency));
    let header = table.header();
    for (;;) {
      const rows = await database.transaction(
        orgId,
        em => sqlOf(em).query<Row>(PIECE, [orgId, ...range, ...after, currency ?? null]),
        { timeoutMs: LONG_READ_MS },
      );
      yield header + table.rows(rows);
      header = '';
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK) return;
      after = [last.start, last.attribution_id, last.model, last.provider];
    }
  }
}
