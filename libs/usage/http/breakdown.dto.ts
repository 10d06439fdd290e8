import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Figures } from '../series/figures.js';
import type { SeriesGroup, SeriesQuery, UsageSeries } from '../series/index.js';
import { valueOf } from './series.dto.js';

const count = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, description, example }) as const;

/** What was used, by every count. */
@ApiSchema({ name: 'GovernanceUsageFiguresDto' })
export class UsageFiguresDto {
  @ApiProperty(count('Requests.', 42))
  total_requests!: number;

  @ApiProperty(count('Input tokens, cached ones included.', 61_250))
  total_input_tokens!: number;

  @ApiProperty(count('Output tokens, reasoning included.', 9_120))
  total_output_tokens!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'US dollars: the number nearest to the exact decimal sum; null where there were requests and none of them has a known price.',
    example: 0.244325,
  })
  estimated_cost_usd!: number | null;

  @ApiProperty(count('Input tokens that were read from a cache.', 20_000))
  cache_read_tokens!: number;

  @ApiProperty(count('Input tokens that were written to a cache.', 1_500))
  cache_write_tokens!: number;

  @ApiProperty(count('Output tokens that were spent on reasoning.', 3_300))
  reasoning_tokens!: number;

  @ApiProperty(count('Requests whose model has no known price: they add nothing to the cost.', 0))
  unpriced_requests!: number;
}

/** Usage of one group in one period. */
@ApiSchema({ name: 'GovernanceUsageLineDto' })
export class UsageLineDto extends UsageFiguresDto {
  @ApiProperty({ description: 'As in a series.', example: '2026-11-20' })
  period!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    nullable: true,
    description: 'The value of each dimension; null for what is added up of the groups that are not shown.',
    example: { department: 'Sales', model: 'gpt-4o' },
  })
  group!: Record<string, string | null> | null;

  @ApiProperty({ type: String, nullable: true, description: 'Where users are grouped by.', example: null })
  user_email!: string | null;
}

/** Usage by what it was for. */
@ApiSchema({ name: 'GovernanceUsageBreakdownDto' })
export class UsageBreakdownDto {
  @ApiProperty({ example: 'Europe/Berlin', description: 'IANA name.' })
  time_zone!: string;

  @ApiProperty({ type: [UsageLineDto], description: 'By period, the largest group first; what is not shown, last.' })
  lines!: UsageLineDto[];

  @ApiProperty({ type: UsageFiguresDto, description: 'Of all usage, whatever is shown.' })
  totals!: UsageFiguresDto;
}

/** A line of a breakdown before it is written as JSON or CSV. */
export interface BreakdownLine {
  readonly period: string;
  readonly figures: Figures;
  /** Null for the groups that are not shown. */
  readonly group: SeriesGroup | null;
}

/** The lines of a report, by period. Lines without any request are left out. */
export function linesOf({ buckets, groups, other, all }: UsageSeries, { groupBy }: SeriesQuery): BreakdownLine[] {
  const everything: SeriesGroup = { ...all, key: [], labels: [] };
  const shown = groupBy.length === 0 ? [everything] : groups;
  return buckets.flatMap(({ label: period }, at) => {
    const lines = [
      ...shown.map(group => ({ group, figures: group.points[at] })),
      { group: null, figures: other?.points[at] },
    ];
    return lines.flatMap(({ group, figures }) =>
      figures && figures.requests !== 0n ? [{ period, group, figures }] : [],
    );
  });
}

/** A breakdown on the wire. */
export function presentBreakdown(series: UsageSeries, query: SeriesQuery): UsageBreakdownDto {
  return {
    time_zone: series.timeZone,
    lines: linesOf(series, query).map(({ period, group, figures }) => {
      const named =
        group && Object.fromEntries(query.groupBy.map((dimension, at) => [dimension, group.key[at] ?? null]));
      const email = group?.labels.find(label => label !== null) ?? null;
      return Object.assign(figuresOnWire(figures), { period, group: named, user_email: email });
    }),
    totals: figuresOnWire(series.all.total),
  };
}

/** The cost as it is written: exact decimal text, or null where none is known. */
export function costText(figures: Figures): string | null {
  return valueOf(figures, 'cost_usd');
}

function figuresOnWire(figures: Figures) {
  const cost = costText(figures);
  return {
    total_requests: Number(figures.requests),
    total_input_tokens: Number(figures.inputTokens),
    total_output_tokens: Number(figures.outputTokens),
    estimated_cost_usd: cost === null ? null : Number(cost),
    cache_read_tokens: Number(figures.cacheReadTokens),
    cache_write_tokens: Number(figures.cacheWriteTokens),
    reasoning_tokens: Number(figures.reasoningTokens),
    unpriced_requests: Number(figures.unpricedRequests),
  };
}
