import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { CsvColumn } from '../csv/index.js';
import type { UsageSummary } from '../report/usage-report.service.js';

const count = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, description, example }) as const;

/** Usage of one user with one model in one period (interface specification, section 2.4). */
@ApiSchema({ name: 'GovernanceUsageSummaryDto' })
export class UsageSummaryDto {
  @ApiProperty({
    format: 'uuid',
    description: 'User who made the requests.',
    example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  })
  user_id!: string;

  @ApiPropertyOptional({ format: 'email', description: 'Missing for users who are gone.', example: 'ada@example.com' })
  user_email?: string;

  @ApiProperty({ example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ example: 'openai' })
  provider!: string;

  @ApiProperty({
    description:
      'Hourly `2026-11-20T13:00:00Z`, daily `2026-11-20`, weekly (ISO 8601) `2026-W47`, monthly `2026-11`; UTC.',
    example: '2026-11-20',
  })
  period!: string;

  @ApiProperty(count('Requests in the period.', 42))
  total_requests!: number;

  @ApiProperty(count('Input tokens, cached ones included.', 61_250))
  total_input_tokens!: number;

  @ApiProperty(count('Output tokens, reasoning included.', 9_120))
  total_output_tokens!: number;

  @ApiProperty({
    type: Number,
    minimum: 0,
    description:
      'US dollars by the prices in force when the requests happened: the number nearest to the exact decimal sum.',
    example: 0.244325,
  })
  estimated_cost_usd!: number;

  @ApiProperty(count('Input tokens that were read from a cache.', 20_000))
  cache_read_tokens!: number;

  @ApiProperty(count('Input tokens that were written to a cache.', 1_500))
  cache_write_tokens!: number;

  @ApiProperty(count('Output tokens that were spent on reasoning.', 3_300))
  reasoning_tokens!: number;

  @ApiProperty(count('Requests whose model has no known price: they add nothing to the cost.', 0))
  unpriced_requests!: number;
}

/** A summary on the wire. */
export function presentSummary(summary: UsageSummary): UsageSummaryDto {
  return {
    user_id: summary.userId,
    ...(summary.userEmail === undefined ? {} : { user_email: summary.userEmail }),
    model: summary.model,
    provider: summary.provider,
    period: summary.period,
    total_requests: summary.requests,
    total_input_tokens: summary.inputTokens,
    total_output_tokens: summary.outputTokens,
    estimated_cost_usd: Number(summary.costUsd),
    cache_read_tokens: summary.cacheReadTokens,
    cache_write_tokens: summary.cacheWriteTokens,
    reasoning_tokens: summary.reasoningTokens,
    unpriced_requests: summary.unpricedRequests,
  };
}

/** The same fields as columns of a table; money as exact decimal text. */
export const SUMMARY_COLUMNS: readonly CsvColumn<UsageSummary>[] = [
  { header: 'period', value: summary => summary.period },
  { header: 'user_id', value: summary => summary.userId },
  { header: 'user_email', value: summary => summary.userEmail },
  { header: 'model', value: summary => summary.model },
  { header: 'provider', value: summary => summary.provider },
  { header: 'total_requests', value: summary => summary.requests, numeric: true },
  { header: 'total_input_tokens', value: summary => summary.inputTokens, numeric: true },
  { header: 'total_output_tokens', value: summary => summary.outputTokens, numeric: true },
  { header: 'estimated_cost_usd', value: summary => summary.costUsd, numeric: true },
  { header: 'cache_read_tokens', value: summary => summary.cacheReadTokens, numeric: true },
  { header: 'cache_write_tokens', value: summary => summary.cacheWriteTokens, numeric: true },
  { header: 'reasoning_tokens', value: summary => summary.reasoningTokens, numeric: true },
  { header: 'unpriced_requests', value: summary => summary.unpricedRequests, numeric: true },
];
