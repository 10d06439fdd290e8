import { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { CsvTable, streamedAnswer, type CsvColumn } from '#access';
import type { ConvertedCost } from '../currency/index.js';
import type { SeriesGroup, SeriesQuery, UsageSeries } from '../series/index.js';
import { shownConverted } from './converted.dto.js';
import { linesOf, shownText, type BreakdownLine } from './breakdown.dto.js';
import { figureCsv } from './figure-fields.js';
import { valueOf } from './series.dto.js';

/** A point of a series in the form of a table row. */
interface PointLine {
  readonly period: string;
  readonly group: SeriesGroup | null;
  readonly value: string | null;
  readonly unpriced: bigint;
  readonly converted: ConvertedCost | undefined;
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
    ...shown.map(group => ({ group, line: group })),
    ...(other ? [{ group: null, line: other }] : []),
  ].flatMap(({ group, line }) =>
    line.points.map((figures, at): PointLine => {
      const converted = line.converted?.points[at];
      const period = buckets[at]?.label ?? '';
      return { period, group, value: valueOf(figures, query.metric), unpriced: figures.unpricedRequests, converted };
    }),
  );
  return csvOf('usage-series.csv', lines, [
    ...groupColumns<PointLine>(query),
    { header: query.metric, value: line => line.value, numeric: true },
    { header: 'unpriced_requests', value: line => line.unpriced, numeric: true },
    ...currencyColumns<PointLine>(series, ({ converted, value }) => shownConverted(converted, value)),
  ]);
}

/** A breakdown as a table, with the same lines as its JSON form. */
export function breakdownCsv(series: UsageSeries, query: SeriesQuery): StreamableFile {
  return csvOf('usage-breakdown.csv', linesOf(series, query), [
    ...groupColumns<BreakdownLine>(query),
    ...figureCsv<BreakdownLine>(({ figures }) => figures, shownText),
    ...currencyColumns<BreakdownLine>(series, ({ converted, figures }) =>
      shownConverted(converted, valueOf(figures, 'cost_usd')),
    ),
  ]);
}

function currencyColumns<Line>({ conversion }: UsageSeries, cost: (line: Line) => string | null): CsvColumn<Line>[] {
  if (!conversion) return [];
  return [
    { header: 'currency', value: () => conversion.currency },
    { header: 'cost_converted', value: cost, numeric: true },
  ];
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
