import { Injectable } from '@nestjs/common';
import { BadRequestError, type SqlTransaction, UserDirectory } from '#core';
import { LONG_READ_MS, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { added, figuresOf, NO_FIGURES, type Figures, type FigureTexts } from '../figures/index.js';
import { parseDateRange, type Period } from '../periods/index.js';
import { timeZoneOf } from '../budgets/budget-windows.service.js';
import type { ConvertedTexts } from '../currency/index.js';
import { bucketsOf, dayOf, type Bucket } from './buckets.js';
import { convertedLineOf, spansOf, without, type ConvertedLine, type ReportCurrency } from './conversion.js';
import type { Dimension } from './dimension.js';
import { METRICS, type MetricName } from './metrics.js';
import { seriesStatement, type SeriesFilter } from './series-query.js';

/** Value that stands for the time zone of the organization. */
export const ORGANIZATION_ZONE = 'organization';

/** Filters and grouping of a report. */
export interface SeriesQuery extends SeriesFilter {
  /** The dimensions to group by: at most two. */
  readonly groupBy: readonly Dimension[];
  readonly metric: MetricName;
  readonly period: Period;
  /** IANA name of the time zone, or `organization`. */
  readonly timeZone: string;
  /** First day, `YYYY-MM-DD`, inclusive, in the time zone. Default: the day of the first usage. */
  readonly startDate?: string | undefined;
  /** Last day, `YYYY-MM-DD`, inclusive, in the time zone. Default: the day of the latest usage. */
  readonly endDate?: string | undefined;
  /** Number of groups to show. */
  readonly top: number;
  /** ISO 4217 code of a currency in which to sum costs as well. */
  readonly currency?: string | undefined;
}

/** Usage of one group, of the sum of the other groups, or of all groups. */
export interface SeriesLine {
  readonly total: Figures;
  /** One for each bucket. */
  readonly points: readonly Figures[];
  /** The cost in the currency of the report, if it has one. */
  readonly converted: ConvertedLine | undefined;
}

/** A group of usage. */
export interface SeriesGroup extends SeriesLine {
  /** One value per dimension; null for usage without a value. */
  readonly key: readonly (string | null)[];
  /** Per dimension: the e-mail address if the dimension is a user. Null for other dimensions and for deleted users. */
  readonly labels: readonly (string | null)[];
}

/** A report of usage over time. */
export interface UsageSeries {
  /** IANA name of the report's time zone. */
  readonly timeZone: string;
  readonly buckets: readonly Bucket[];
  /** The groups of the report, the largest first. */
  readonly groups: readonly SeriesGroup[];
  /** The sum of the groups that are not shown; null if all groups are shown. */
  readonly other: (SeriesLine & { readonly groups: number }) | null;
  /** All usage of the report. */
  readonly all: SeriesLine;
  /** The currency of converted costs. Null if costs are in dollars only. */
  readonly conversion: ReportCurrency | null;
}

interface Row extends FigureTexts, ConvertedTexts {
  kind: 'group' | 'point' | 'sum';
  place: string | null;
  bucket: number | null;
  groups: string | null;
  k1: string;
  k2: string;
}

// JIT compilation of a report's statement takes longer than its execution.
const WITHOUT_JIT = `select set_config('jit', 'off', true)`;

const BOUNDS = `
select (extract(epoch from min(start)) * 1000)::text as first, (extract(epoch from max(start)) * 1000)::text as last
from ${SCHEMA}.usage_totals where org_id = $1 and grain_minutes = 15`;

/** Maximum number of points in one report: groups times periods. */
const POINTS_MAX = 60_000;

/** Computes usage reports by dimension from the rollups. */
@Injectable()
export class UsageSeriesService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
  ) {}

  /** Computes a report. @throws BadRequestError if a date does not exist, or if there are too many periods or points */
  async read(orgId: string, query: SeriesQuery, database = this.database): Promise<UsageSeries> {
    parseDateRange(query.startDate, query.endDate);
    const { timeZone, buckets, rows, conversion } = await database.transaction(
      orgId,
      async em => this.rows(sqlOf(em), orgId, query),
      { timeoutMs: LONG_READ_MS },
    );
    const all = lineOf(
      buckets,
      rows.filter(({ kind }) => kind === 'sum'),
      conversion !== null,
    );
    const groups = await this.groups(orgId, query, buckets, rows);
    const count = Number(rows.find(({ kind }) => kind === 'group')?.groups ?? 0);
    const isComplete = count <= groups.length;
    return {
      timeZone,
      buckets,
      groups,
      other: isComplete ? null : { ...rest(all, groups), groups: count - groups.length },
      all,
      conversion,
    };
  }

  private async rows(
    tx: SqlTransaction,
    orgId: string,
    query: SeriesQuery,
  ): Promise<{ timeZone: string; buckets: Bucket[]; rows: Row[]; conversion: ReportCurrency | null }> {
    const timeZone = query.timeZone === ORGANIZATION_ZONE ? await timeZoneOf(tx, orgId) : query.timeZone;
    const buckets = await bucketsWithin(tx, orgId, query, timeZone);
    const { spans, conversion } = await spansOf(tx, orgId, query.currency, buckets, timeZone);
    if (buckets.length === 0) return { timeZone, buckets, rows: [], conversion };
    if (query.groupBy.length > 0 && buckets.length * query.top > POINTS_MAX) {
      throw BadRequestError.field(
        'top',
        `times ${buckets.length} periods makes more than ${POINTS_MAX} points; use fewer groups or a longer period`,
      );
    }
    await tx.query(WITHOUT_JIT);
    const shape = {
      groupBy: query.groupBy,
      metric: METRICS[query.metric],
      top: query.top,
      converts: conversion !== null,
    };
    const { sql, parameters } = seriesStatement(orgId, spans, query, shape);
    return { timeZone, buckets, rows: await tx.query<Row>(sql, parameters), conversion };
  }

  private async groups(
    orgId: string,
    { groupBy, currency }: SeriesQuery,
    buckets: readonly Bucket[],
    rows: readonly Row[],
  ): Promise<SeriesGroup[]> {
    const points = Map.groupBy(
      rows.filter(({ kind }) => kind === 'point'),
      ({ place }) => place,
    );
    const groups = rows.filter(({ kind }) => kind === 'group');
    const keys = groups.map(({ k1, k2 }) =>
      [k1, k2].slice(0, groupBy.length).map(value => (value === '' ? null : value)),
    );
    const userAt = groupBy.indexOf('user');
    const userIds = userAt === -1 ? [] : keys.flatMap(key => key[userAt] ?? []);
    const emails = await this.users.emails(orgId, [...new Set(userIds)]);
    return groups.map((row, at) => {
      const key = keys[at] ?? [];
      const labels = key.map((value, dimension) => (dimension === userAt ? (emails.get(value ?? '') ?? null) : null));
      return Object.assign(lineOf(buckets, points.get(row.place) ?? [], currency !== undefined), { key, labels });
    });
  }
}

async function bucketsWithin(
  tx: SqlTransaction,
  orgId: string,
  { period, startDate, endDate }: SeriesQuery,
  timeZone: string,
): Promise<Bucket[]> {
  let [first, last] = [startDate, endDate];
  if (first === undefined || last === undefined) {
    const [row] = await tx.query<{ first: string | null; last: string | null }>(BOUNDS, [orgId]);
    if (!row || row.first === null || row.last === null) return [];
    first ??= dayOf(new Date(Number(row.first)), timeZone);
    last ??= dayOf(new Date(Number(row.last)), timeZone);
  }
  return first > last ? [] : bucketsOf(period, timeZone, first, last);
}

function lineOf(buckets: readonly Bucket[], rows: readonly Row[], converts: boolean): SeriesLine {
  const points: Figures[] = buckets.map(() => NO_FIGURES);
  let total = NO_FIGURES;
  for (const row of rows) {
    const figures = figuresOf(row);
    total = added(total, figures);
    if (row.bucket !== null) points[row.bucket] = figures;
  }
  return { total, points, converted: converts ? convertedLineOf(buckets.length, rows) : undefined };
}

function rest(all: SeriesLine, groups: readonly SeriesLine[]): SeriesLine {
  return groups.reduce(
    (left, group) => ({
      total: added(left.total, group.total, -1n),
      points: left.points.map((point, at) => added(point, group.points[at] ?? NO_FIGURES, -1n)),
      converted: left.converted && group.converted && without(left.converted, group.converted),
    }),
    { total: all.total, points: all.points, converted: all.converted },
  );
}
