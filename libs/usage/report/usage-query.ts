import { SCHEMA, type Statement } from '#database';
import { figureColumns, type FigureTexts } from '../figures/index.js';
import { CONVERTED_COLUMNS, type ConvertedTexts } from '../currency/index.js';
import { formatCalendarDate, periodStart, type DateRange, type Period } from '../periods/index.js';

// The list is ordered by period (newest first), then user, model and provider. Every query below scans a range of an
// index in that order. Its cost depends on the size of the page and not on the size of the table.

/** Filters of a report. */
export interface UsageFilter {
  period: Period;
  range: DateRange;
  userId?: string | undefined;
  model?: string | undefined;
  /** ISO 4217 code of a currency in which the report also sums costs. */
  currency?: string | undefined;
}

/** Position of a line in the report. */
export interface UsagePosition {
  /** Start of the period: `2026-11-20` for a day or longer period, with the time for an hour. */
  start: string;
  userId: string;
  model: string;
  provider: string;
}

/** A line as PostgreSQL returns it. Figures are text, so that they stay exact. */
export interface UsageRow extends FigureTexts, ConvertedTexts {
  start: string;
  /** The days with costs on which the currency of the report has no exchange rate. Null without a currency. */
  first_without_rate?: string | null;
  last_without_rate?: string | null;
  user_id: string;
  model: string;
  provider: string;
}

interface Source {
  table: string;
  /** Column with the start of the period. */
  start: string;
  /** Column that is compared with the dates of the report. */
  at: string;
  type: 'timestamptz' | 'date';
  /** Whether a period is the sum of several days. */
  isOfDays: boolean;
}

const SOURCES: Record<Period, Source> = {
  hourly: { table: 'usage_hourly', start: 'hour', at: 'hour', type: 'timestamptz', isOfDays: false },
  daily: { table: 'usage_daily', start: 'day', at: 'day', type: 'date', isOfDays: false },
  weekly: { table: 'usage_daily', start: 'week_start', at: 'day', type: 'date', isOfDays: true },
  monthly: { table: 'usage_daily', start: 'month_start', at: 'day', type: 'date', isOfDays: true },
};

const LINE = 'user_id, model, provider';

/** Statement for the lines of a report after a position, or from the beginning. */
export function usagePage(
  orgId: string,
  filter: UsageFilter,
  after: UsagePosition | undefined,
  limit: number,
): Statement {
  const source = SOURCES[filter.period];
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const base = conditions(orgId, filter, bind);
  const count = bind(limit);
  const converted = convertedColumns(source, filter, bind);
  if (!after) return { sql: select(source, base, source.start, count, converted), parameters };
  // A row comparison cannot mix ascending and descending order, and PostgreSQL finds no good plan for OR. Therefore,
  // the statement reads two consecutive ranges. It reads the second range only if the first one does not fill the page,
  // which is rare.
  const start = `${bind(after.start)}::${source.type}`;
  const position = `(${bind(after.userId)}::uuid, ${bind(after.model)}::text, ${bind(after.provider)}::text)`;
  const rest = select(
    source,
    [...base, `${source.start} = ${start}`, `(${LINE}) > ${position}`],
    source.start,
    count,
    converted,
  );
  const room = `${count}::bigint - (select count(*) from rest)`;
  const older = select(source, [...base, `${source.start} < ${start}`], source.start, room, converted);
  const sql =
    `with rest as materialized (${rest}), older as (${older}) ` +
    `select * from rest union all select * from older order by start desc, ${LINE}`;
  return { sql, parameters };
}

/**
 * Statement for all lines of a report, from which they are counted. It reads no figures, and reads rows in index order,
 * so that no sort is needed.
 */
export function usageLines(orgId: string, filter: UsageFilter): Statement {
  const source = SOURCES[filter.period];
  const parameters: unknown[] = [];
  const where = conditions(orgId, filter, value => `$${parameters.push(value)}`).join(' and ');
  const from = `select ${source.start} from ${SCHEMA}.${source.table} where ${where}`;
  return { sql: `${from} group by ${source.start}, ${LINE} order by ${source.start} desc, ${LINE}`, parameters };
}

/** Position of a row, for the cursor. */
export function positionOf(row: UsageRow): UsagePosition {
  return { start: row.start, userId: row.user_id, model: row.model, provider: row.provider };
}

function select(source: Source, where: readonly string[], start: string, limit: string, converted: string): string {
  const figures = figureColumns(name => `sum(${name})::text as ${name}`);
  // A line sums the rows of all attributions. In hourly reports, it also sums the rows of all quarters of the hour.
  const group = ` group by ${start}, ${LINE}`;
  const label =
    source.type === 'date'
      ? `to_char(${start}, 'YYYY-MM-DD') as start`
      : `to_char(${start} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as start`;
  return (
    `select ${label}, ${LINE}, ${figures}${converted} from ${SCHEMA}.${source.table} where ${where.join(' and ')}` +
    `${group} order by ${source.table}.${start} desc, ${LINE} limit ${limit}`
  );
}

/** SQL for the columns of costs in another currency, each preceded by a comma. Empty without such a currency. */
function convertedColumns(
  { table, type, at }: Source,
  { currency }: UsageFilter,
  bind: (value: unknown) => string,
): string {
  if (currency === undefined) return '';
  const day = type === 'date' ? `${table}.${at}` : `(${table}.${at} at time zone 'UTC')::date`;
  const rate = `(select x.rate from ${SCHEMA}.exchange_rates x where x.org_id = ${table}.org_id
    and x.currency = ${bind(currency)} and x.day <= ${day} order by x.day desc limit 1)`;
  const sum = (column: keyof typeof CONVERTED_COLUMNS) =>
    `sum(${CONVERTED_COLUMNS[column]('cost_usd', rate)})::text as ${column}`;
  const missing = `to_char(${day}, 'YYYY-MM-DD')) filter (where cost_usd <> 0 and ${rate} is null)`;
  return `, ${sum('converted_cost')}, ${sum('unconverted_cost')},
    min(${missing} as first_without_rate, max(${missing} as last_without_rate`;
}

function conditions(orgId: string, filter: UsageFilter, bind: (value: unknown) => string): string[] {
  const { range, period } = filter;
  const source = SOURCES[period];
  const where = [`org_id = ${bind(orgId)}::uuid`];
  if (filter.userId !== undefined) where.push(`user_id = ${bind(filter.userId)}::uuid`);
  if (filter.model !== undefined) where.push(`model = ${bind(filter.model)}`);
  const instant = (at: Date) =>
    `${bind(source.type === 'date' ? formatCalendarDate(at) : at.toISOString())}::${source.type}`;
  if (range.from) where.push(`${source.at} >= ${instant(range.from)}`);
  if (range.until) where.push(`${source.at} < ${instant(range.until)}`);
  if (!source.isOfDays) return where;
  // These conditions bound the scan of the index. The conditions above select the days within the bounds.
  if (range.from) where.push(`${source.start} >= ${instant(periodStart(period, range.from))}`);
  if (range.until) where.push(`${source.start} < ${instant(range.until)}`);
  return where;
}
