import { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { streamedAnswer } from '#access';
import { CsvTable, type CsvColumn } from '../csv/index.js';
import type { SeriesGroup, SeriesQuery, UsageSeries } from '../series/index.js';
import { linesOf, shownText, type BreakdownLine } from './breakdown.dto.js';
import { figureCsv } from './figure-fields.js';
import { valueOf } from './series.dto.js';

/** A point of a series as a line of a table. */
interface PointLine {
  readonly period: string;
  readonly group: SeriesGroup | null;
  readonly value: string | null;
  readonly unpriced: bigint;
}

interface GroupedLine {
  readonly period: string;
  readonly group: SeriesGroup | null;
}

/**
 * A series as a table, one line per group and period. The column `groups` contains `other` for the sum of the other
 * groups. Without dimensions, all usage is one group.
 */
export function seriesCsv(series: UsageSeries, query: SeriesQuery): StreamableFile {
  const { buckets, groups, other, all } = series;
  const shown = query.groupBy.length === 0 ? [{ ...all, key: [], labels: [] }] : groups;
  const lines = [
    ...shown.map(group => ({ group, points: group.points })),
    ...(other ? [{ group: null, points: other.points }] : []),
  ].flatMap(({ group, points }) =>
    points.map((figures, at): PointLine => {
      const period = buckets[at]?.label ?? '';
      return { period, group, value: valueOf(figures, query.metric), unpriced: figures.unpricedRequests };
    }),
  );
  return csvOf('usage-series.csv', lines, [
    ...groupColumns<PointLine>(query),
    { header: query.metric, value: line => line.value, numeric: true },
    { header: 'unpriced_requests', value: line => line.unpriced, numeric: true },
  ]);
}

/** A breakdown as a table, with the same lines as its JSON form. */
export function breakdownCsv(series: UsageSeries, query: SeriesQuery): StreamableFile {
  return csvOf('usage-breakdown.csv', linesOf(series, query), [
    ...groupColumns<BreakdownLine>(query),
    ...figureCsv<BreakdownLine>(({ figures }) => figures, shownText),
  ]);
}

function groupColumns<Line extends GroupedLine>({ groupBy }: SeriesQuery): CsvColumn<Line>[] {
  return [
    { header: 'period', value: line => line.period },
    { header: 'groups', value: line => (line.group === null ? 'other' : 'shown') },
    ...groupBy.map((dimension, at) => ({ header: dimension, value: (line: Line) => line.group?.key[at] })),
    ...(groupBy.includes('user')
      ? [{ header: 'user_email', value: (line: Line) => line.group?.labels.find(label => label !== null) }]
      : []),
  ];
}

function csvOf<Line>(filename: string, lines: readonly Line[], columns: readonly CsvColumn<Line>[]): StreamableFile {
  const table = new CsvTable(columns);
  const text = table.header() + table.rows(lines);
  return streamedAnswer(Readable.from([text], { objectMode: false }), {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: `attachment; filename="${filename}"`,
  });
}
