import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { picoToDecimalString } from '../prices/index.js';
import type { ConvertedCost, DaysWithoutRate } from '../currency/index.js';
import type { Figures } from '../figures/index.js';
import type { SeriesGroup, SeriesLine, SeriesQuery, UsageSeries } from '../series/index.js';
import { METRICS, type MetricName } from '../series/metrics.js';
import { CostConverted, CurrencyOf, presentConverted, presentCurrency, WithoutRate } from './converted.dto.js';

const COST_NOTE =
  'Of costs: US dollars, the number nearest to the exact sum; null if there were requests and none of them has a known price.';

/** One period of a series. */
@ApiSchema({ name: 'GovernanceSeriesPointDto' })
export class SeriesPointDto {
  @ApiProperty({
    description:
      'Hourly `2026-11-20T13:00:00+01:00` (`…Z` in UTC), daily `2026-11-20`, weekly (ISO 8601) `2026-W47`, monthly `2026-11`.',
    example: '2026-11-20',
  })
  period!: string;

  @ApiProperty({ type: Number, nullable: true, description: COST_NOTE, example: 12.5 })
  value!: number | null;

  @ApiProperty({
    type: 'integer',
    description: 'Requests without a known price. They add nothing to the cost.',
    example: 0,
  })
  unpriced_requests!: number;

  @CostConverted()
  cost_converted?: number | null;
}

/** Usage of several groups together: of all groups, or of the groups that are not listed. */
@ApiSchema({ name: 'GovernanceSeriesOtherDto' })
export class SeriesOtherDto {
  @ApiProperty({ type: 'integer', description: 'Number of groups in this sum.', example: 7 })
  groups!: number;

  @ApiProperty({ type: Number, nullable: true, description: COST_NOTE, example: 3.25 })
  total!: number | null;

  @ApiProperty({ type: 'integer', example: 0 })
  unpriced_requests!: number;

  @CostConverted()
  cost_converted?: number | null;

  @ApiProperty({ type: [SeriesPointDto] })
  points!: SeriesPointDto[];
}

/** A group of usage over time. */
@ApiSchema({ name: 'GovernanceSeriesGroupDto' })
export class SeriesGroupDto {
  @ApiProperty({
    description:
      'The value of the dimension, or a list of two values if you group by two. Null for usage without a value.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string', nullable: true } }],
    nullable: true,
    example: 'gpt-4o',
  })
  key!: string | null | (string | null)[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'E-mail address of the user, if you group by user and the user exists.',
    example: null,
  })
  user_email!: string | null;

  @ApiProperty({ type: Number, nullable: true, description: COST_NOTE, example: 812.4 })
  total!: number | null;

  @ApiProperty({ type: 'integer', example: 0 })
  unpriced_requests!: number;

  @CostConverted()
  cost_converted?: number | null;

  @ApiProperty({ type: [SeriesPointDto] })
  points!: SeriesPointDto[];
}

/** Usage over time by dimension. */
@ApiSchema({ name: 'GovernanceUsageSeriesDto' })
export class UsageSeriesDto {
  @ApiProperty({ type: [String], example: ['model'] })
  group_by!: readonly string[];

  @ApiProperty({ example: 'cost_usd' })
  metric!: string;

  @ApiProperty({ example: 'daily' })
  period!: string;

  @ApiProperty({ description: 'IANA name.', example: 'Europe/Berlin' })
  time_zone!: string;

  @CurrencyOf()
  currency?: string;

  @WithoutRate()
  without_rate?: DaysWithoutRate | null;

  @ApiProperty({ type: [SeriesGroupDto], description: 'The largest first.' })
  groups!: SeriesGroupDto[];

  @ApiProperty({
    type: SeriesOtherDto,
    nullable: true,
    description: 'The sum of the other groups; null if all groups are shown.',
    example: null,
  })
  other!: SeriesOtherDto | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: `Total of all usage, including groups that are not shown. ${COST_NOTE}`,
    example: 815.65,
  })
  total!: number | null;

  @ApiProperty({ type: 'integer', description: 'Of all usage.', example: 0 })
  unpriced_requests!: number;

  @CostConverted()
  cost_converted?: number | null;

  @ApiProperty({ type: [SeriesPointDto], description: 'Of all usage.' })
  points!: SeriesPointDto[];
}

/** A series on the wire. */
export function presentSeries(series: UsageSeries, { groupBy, metric, period }: SeriesQuery): UsageSeriesDto {
  const line = (of: SeriesLine) => presentLine(of, series, metric);
  return {
    group_by: groupBy,
    metric,
    period,
    time_zone: series.timeZone,
    ...presentCurrency(series.conversion),
    groups: series.groups.map(group => ({ key: keyOf(group), user_email: emailOf(group), ...line(group) })),
    other: series.other && { groups: series.other.groups, ...line(series.other) },
    ...line(series.all),
  };
}

/** The value of a metric: decimal text for money, a count otherwise; null for an unknown cost. */
export function valueOf(figures: Figures, metric: MetricName): string | null {
  const shown = METRICS[metric];
  if (!shown.isMoney) return shown.value(figures).toString();
  const isUnknown = figures.unpricedRequests > 0n && figures.unpricedRequests >= figures.requests;
  return isUnknown && figures.picodollars === 0n ? null : picoToDecimalString(shown.value(figures));
}

function presentLine(
  { total, points, converted }: SeriesLine,
  { buckets }: UsageSeries,
  metric: MetricName,
): Pick<UsageSeriesDto, 'total' | 'unpriced_requests' | 'cost_converted' | 'points'> {
  const shown = (figures: Figures, cost: ConvertedCost | undefined) => {
    const text = valueOf(figures, metric);
    const unpriced_requests = Number(figures.unpricedRequests);
    return { value: numberOf(text), unpriced_requests, ...presentConverted(cost, text) };
  };
  const { value, ...others } = shown(total, converted?.total);
  return {
    total: value,
    ...others,
    points: points.map((figures, at) => ({
      period: buckets[at]?.label ?? '',
      ...shown(figures, converted?.points[at]),
    })),
  };
}

function keyOf({ key }: SeriesGroup): SeriesGroupDto['key'] {
  return key.length === 1 ? (key[0] ?? null) : [...key];
}

function emailOf({ labels }: SeriesGroup): string | null {
  return labels.find(label => label !== null) ?? null;
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
