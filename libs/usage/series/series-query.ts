import { plainArray, SCHEMA, type Statement } from '#database';
import { figureColumns } from '../figures/index.js';
import { CONVERTED_COLUMNS } from '../currency/index.js';
import type { RatedSpan } from './buckets.js';
import { groupExpression, type Dimension } from './dimension.js';
import type { Metric } from './metrics.js';
import { rollupPieces, type RollupPiece } from './rollup-pieces.js';

/** Filters of the usage in a report. */
export interface SeriesFilter {
  readonly userId?: string | undefined;
  readonly department?: string | undefined;
  readonly project?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** Grouping of the usage in a report. */
export interface SeriesShape {
  /** Zero to two dimensions. */
  readonly groupBy: readonly Dimension[];
  /** The metric that ranks the groups. */
  readonly metric: Metric;
  readonly top: number;
  /** A currency in which the report also sums costs. */
  readonly converts: boolean;
}

type Bind = (value: unknown) => string;

/** The rollup pieces of a report, and the SQL with which a statement reads them from its parameters. */
interface Pieces {
  readonly list: readonly (RollupPiece & { bucket: number })[];
  /** SQL that returns the pieces as rows. */
  readonly sql: string;
}

const sums = (from: string): string => figureColumns(column => `sum(${from}.${column}) as ${column}`);
const texts = figureColumns(column => `${column}::text`);

/** SQL for the columns of costs in another currency, each preceded by a comma. Empty without conversion. */
const convertedColumns = (converts: boolean, sql: (column: keyof typeof CONVERTED_COLUMNS) => string): string =>
  converts ? `, ${sql('converted_cost')}, ${sql('unconverted_cost')}` : '';

/**
 * Builds one statement for the whole report, so that it reads one snapshot. Its rows are of three kinds: `group` (with
 * a place, from 1), `point` (with a place and a bucket) and `sum` (with a bucket). The key is empty for usage without a
 * value.
 */
export function seriesStatement(
  orgId: string,
  spans: readonly RatedSpan[],
  filter: SeriesFilter,
  { groupBy, metric, top, converts }: SeriesShape,
): Statement {
  const parameters: unknown[] = [];
  const bind: Bind = value => `$${parameters.push(value)}`;
  const org = bind(orgId);
  const each = piecesIn(spans, bind);
  const scope = { org, bind, filter, converts };
  const plain = convertedColumns(converts, column => column);
  const convertedSums = convertedColumns(converts, column => `sum(r.${column}) as ${column}`);
  const convertedTexts = convertedColumns(converts, column => `${column}::text`);
  const sumsOf = `select 'sum' as kind, null::bigint as place, r.bucket, null::bigint as groups, '' as k1, '' as k2, ${sums('r')}${convertedSums}
    from (${rowsOf(scope, each, [])}) r group by r.bucket`;
  if (groupBy.length === 0)
    return {
      sql: `select kind, place::text, bucket, groups::text, k1, k2, ${texts}${convertedTexts} from (${sumsOf}) s`,
      parameters,
    };
  // The statement must use every parameter, because PostgreSQL cannot infer the type of an unused one.
  const whole = piecesIn(wholeOf(spans), bind);
  const sql = `
with whole as (
  select r.k1, r.k2, ${sums('r')} from (${rowsOf({ ...scope, converts: false }, whole, groupBy)}) r group by r.k1, r.k2),
ranked as materialized (
  select *, row_number() over (order by ${metric.sql} desc, requests desc, k1, k2) as place, count(*) over () as groups
  from whole order by place limit ${bind(top)}),
points as (
  select ranked.place, r.bucket, ${sums('r')}${convertedSums}
  from (${rowsOf(scope, each, groupBy)}) r join ranked on ranked.k1 = r.k1 and ranked.k2 = r.k2
  group by ranked.place, r.bucket)
select kind, place::text, bucket, groups::text, k1, k2, ${texts}${convertedTexts} from (
  select 'group' as kind, place, null::integer as bucket, groups, k1, k2, ${figureColumns()}${convertedColumns(converts, column => `null::numeric as ${column}`)} from ranked
  union all select 'point', place, bucket, null, '', '', ${figureColumns()}${plain} from points
  union all ${sumsOf}) s order by kind, s.place, bucket`;
  return { sql, parameters };
}

function wholeOf(spans: readonly RatedSpan[]): RatedSpan[] {
  const [first, last] = [spans[0], spans.at(-1)];
  return first && last ? [{ bucket: 0, start: first.start, end: last.end, rate: null }] : [];
}

function piecesIn(spans: readonly RatedSpan[], bind: Bind): Pieces {
  const list = spans.flatMap(({ bucket, start, end, rate }) =>
    rollupPieces(start, end).map(piece => Object.assign(piece, { bucket, rate })),
  );
  const arrays = [
    `${bind(plainArray(list, piece => piece.bucket))}::integer[]`,
    `${bind(plainArray(list, piece => piece.minutes))}::smallint[]`,
    `${bind(plainArray(list, piece => piece.from.toISOString()))}::timestamptz[]`,
    `${bind(plainArray(list, piece => piece.until.toISOString()))}::timestamptz[]`,
    `${bind(plainArray(list, piece => piece.rate))}::numeric[]`,
  ];
  return { list, sql: `unnest(${arrays.join(', ')}) as p (bucket, minutes, from_at, until_at, rate)` };
}

interface Scope {
  readonly org: string;
  readonly bind: Bind;
  readonly filter: SeriesFilter;
  readonly converts: boolean;
}

/** SQL for the rollup rows within the pieces, with their bucket and keys. */
function rowsOf(scope: Scope, pieces: Pieces, groupBy: readonly Dimension[]): string {
  const { org, bind, filter, converts } = scope;
  const converted = convertedColumns(
    converts,
    column => `${CONVERTED_COLUMNS[column]('t.cost_usd', 'p.rate')} as ${column}`,
  );
  const isPersonal = filter.userId !== undefined || groupBy.includes('user') || groupBy.includes('token');
  const [k1, k2] = [0, 1].map(at => (groupBy[at] === undefined ? `''` : groupExpression(groupBy[at], bind)));
  const needsAttribution =
    groupBy.some(each => !['user', 'model', 'provider'].includes(each)) ||
    filter.department !== undefined ||
    filter.project !== undefined ||
    filter.tags !== undefined;
  const join = needsAttribution
    ? `left join ${SCHEMA}.usage_attributions a on a.org_id = ${org} and a.id = t.attribution_id`
    : '';
  const where = conditions(filter, bind);
  const sources = isPersonal ? personalSources(org, pieces) : [totalsSource(org, pieces)];
  return sources
    .map(
      source => `select p.bucket, ${k1} as k1, ${k2} as k2, ${figureColumns(column => `t.${column}`)}${converted}
      from ${source} ${join}${where}`,
    )
    .join(' union all ');
}

function totalsSource(org: string, pieces: Pieces): string {
  return `${pieces.sql} join ${SCHEMA}.usage_totals t on t.org_id = ${org} and t.grain_minutes = p.minutes
    and t.start >= p.from_at and t.start < p.until_at`;
}

/** Rollups per user exist for days and for quarters of an hour. Without pieces, neither is read. */
function personalSources(org: string, pieces: Pieces): string[] {
  const has = (minutes: number) => pieces.list.some(piece => piece.minutes === minutes);
  const hourly = `join ${SCHEMA}.usage_hourly t on t.org_id = ${org}`;
  const sources = [];
  if (has(60)) {
    sources.push(`${pieces.sql} ${hourly} and p.minutes = 60 and t.hour >= p.from_at and t.hour < p.until_at`);
  }
  if (has(15)) {
    const at = `t.hour + t.quarter * interval '15 minutes'`;
    sources.push(`${pieces.sql} ${hourly} and p.minutes = 15 and t.hour >= date_trunc('hour', p.from_at, 'UTC')
      and t.hour < p.until_at and ${at} >= p.from_at and ${at} < p.until_at`);
  }
  if (has(1_440) || sources.length === 0) {
    sources.push(`${pieces.sql} join ${SCHEMA}.usage_daily t on t.org_id = ${org} and p.minutes = 1440
      and t.day >= (p.from_at at time zone 'UTC')::date and t.day < (p.until_at at time zone 'UTC')::date`);
  }
  return sources;
}

function conditions({ userId, department, project, model, provider, tags }: SeriesFilter, bind: Bind): string {
  const where: string[] = [];
  if (userId !== undefined) where.push(`t.user_id = ${bind(userId)}::uuid`);
  if (model !== undefined) where.push(`t.model = ${bind(model)}`);
  if (provider !== undefined) where.push(`t.provider = ${bind(provider)}`);
  if (department !== undefined) where.push(`a.department = ${bind(department)}`);
  if (project !== undefined) where.push(`a.project = ${bind(project)}`);
  for (const [key, value] of Object.entries(tags ?? {})) where.push(`a.tags ->> ${bind(key)}::text = ${bind(value)}`);
  return where.length === 0 ? '' : ` where ${where.join(' and ')}`;
}
