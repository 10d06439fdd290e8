import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { f, dtoOf } from '#access';
import type { ConvertedCost, DaysWithoutRate } from '../currency/index.js';
import { figureText, type Figure, type Figures } from '../figures/index.js';
import type { SeriesGroup, SeriesQuery, UsageSeries } from '../series/index.js';
import { CostConverted, CurrencyOf, presentConverted, presentCurrency, WithoutRate } from './converted.dto.js';
import { presentFigures, withFigures } from './figure-fields.js';
import { valueOf } from './series.dto.js';

const UNKNOWN_COST = 'null if there were requests and none of them has a known price.';

/** All figures of usage. */
@ApiSchema({ name: 'GovernanceUsageFiguresDto' })
export class UsageFiguresDto extends withFigures<object, number | null>(Object, {
  picodollars: {
    nullable: true,
    description: `US dollars: the number nearest to the exact decimal sum; ${UNKNOWN_COST}`,
  },
  listPicodollars: { nullable: true },
}) {
  @CostConverted()
  cost_converted?: number | null;
}

/** Usage of one group in one period. */
@ApiSchema({ name: 'GovernanceUsageLineDto' })
export class UsageLineDto extends dtoOf(UsageFiguresDto, {
  period: f.text('2026-11-20', 'As in a series.'),
  group: f
    .of<Record<string, string | null>>({
      type: 'object',
      additionalProperties: { type: 'string', nullable: true },
      description: 'The value of each dimension; null for the sum of the groups that are not shown.',
      example: { department: 'Sales', model: 'gpt-4o' },
    })
    .nullable(),
  user_email: f.text(null, 'Only if you group by user.').nullable(),
}) {}

/** Usage by dimension. */
@ApiSchema({ name: 'GovernanceUsageBreakdownDto' })
export class UsageBreakdownDto {
  @ApiProperty({ example: 'Europe/Berlin', description: 'IANA name.' })
  time_zone!: string;

  @CurrencyOf()
  currency?: string;

  @WithoutRate()
  without_rate?: DaysWithoutRate | null;

  @ApiProperty({
    type: [UsageLineDto],
    description: 'By period, the largest group first, the sum of the other groups last.',
  })
  lines!: UsageLineDto[];

  @ApiProperty({ type: UsageFiguresDto, description: 'Totals of all usage, including groups that are not shown.' })
  totals!: UsageFiguresDto;
}

/** A line of a breakdown before it is written as JSON or CSV. */
export interface BreakdownLine {
  readonly period: string;
  readonly figures: Figures;
  readonly converted: ConvertedCost | undefined;
  /** The group of the line. Null for the sum of the groups that are not listed. */
  readonly group: SeriesGroup | null;
}

/** The lines of a report, by period. Lines without requests are omitted. */
export function linesOf({ buckets, groups, other, all }: UsageSeries, { groupBy }: SeriesQuery): BreakdownLine[] {
  const everything: SeriesGroup = { ...all, key: [], labels: [] };
  const shown = groupBy.length === 0 ? [everything] : groups;
  return buckets.flatMap(({ label: period }, at) => {
    const lines = [...shown.map(group => ({ group, line: group })), { group: null, line: other }];
    return lines.flatMap(({ group, line }) => {
      const figures = line?.points[at];
      if (!figures || figures.requests === 0n) return [];
      return [{ period, group, figures, converted: line.converted?.points[at] }];
    });
  });
}

/** A breakdown on the wire. */
export function presentBreakdown(series: UsageSeries, query: SeriesQuery): UsageBreakdownDto {
  return {
    time_zone: series.timeZone,
    ...presentCurrency(series.conversion),
    lines: linesOf(series, query).map(({ period, group, figures, converted }) => {
      const named =
        group && Object.fromEntries(query.groupBy.map((dimension, at) => [dimension, group.key[at] ?? null]));
      const email = group?.labels.find(label => label !== null) ?? null;
      return Object.assign(figuresOnWire(figures, converted), { period, group: named, user_email: email });
    }),
    totals: figuresOnWire(series.all.total, series.all.converted?.total),
  };
}

/** A figure as exact decimal text; null for an unknown cost. */
export function shownText(figure: Figure, figures: Figures): string | null {
  return figure.unit === 'usd' ? valueOf(figures, figure.column) : figureText(figure, figures);
}

function figuresOnWire(figures: Figures, converted: ConvertedCost | undefined) {
  const [cost, listCost] = [valueOf(figures, 'cost_usd'), valueOf(figures, 'list_cost_usd')];
  return {
    ...presentFigures(figures),
    estimated_cost_usd: cost === null ? null : Number(cost),
    list_cost_usd: listCost === null ? null : Number(listCost),
    ...presentConverted(converted, cost),
  };
}
