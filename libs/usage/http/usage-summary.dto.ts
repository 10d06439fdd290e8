import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { CsvColumn } from '#access';
import type { UsageSummary } from '../report/usage-report.service.js';
import type { DaysWithoutRate } from '../currency/index.js';
import {
  CostConverted,
  CurrencyOf,
  presentConverted,
  presentCurrency,
  shownConverted,
  WithoutRate,
} from './converted.dto.js';
import { figureCsv, presentFigures, withFigures } from './figure-fields.js';

class UsageSubject {
  @ApiProperty({
    format: 'uuid',
    description: 'User who made the requests.',
    example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  })
  user_id!: string;

  @ApiPropertyOptional({
    format: 'email',
    description: 'Absent if the user no longer exists.',
    example: 'ada@example.com',
  })
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
}

/** Usage of one user with one model in one period (interface specification, section 2.4). */
@ApiSchema({ name: 'GovernanceUsageSummaryDto' })
export class UsageSummaryDto extends withFigures<UsageSubject, number>(UsageSubject, {
  requests: { description: 'Requests in the period.' },
  picodollars: {
    minimum: 0,
    description:
      'US dollars by the prices in force when the requests happened: the number nearest to the exact decimal sum.',
  },
}) {
  @CurrencyOf()
  currency?: string;

  @CostConverted()
  cost_converted?: number | null;

  @WithoutRate()
  without_rate?: DaysWithoutRate | null;
}

/** Maps a summary to the API. */
export function presentSummary(summary: UsageSummary): UsageSummaryDto {
  const { userId, userEmail, model, provider, period, figures, conversion = null } = summary;
  return {
    user_id: userId,
    ...(userEmail === undefined ? {} : { user_email: userEmail }),
    model,
    provider,
    period,
    ...presentFigures(figures),
    ...presentCurrency(conversion),
    ...presentConverted(conversion?.cost, ''),
  };
}

/** The fields of a summary as table columns. Money is exact decimal text. */
export const SUMMARY_COLUMNS: readonly CsvColumn<UsageSummary>[] = [
  { header: 'period', value: summary => summary.period },
  { header: 'user_id', value: summary => summary.userId },
  { header: 'user_email', value: summary => summary.userEmail },
  { header: 'model', value: summary => summary.model },
  { header: 'provider', value: summary => summary.provider },
  ...figureCsv<UsageSummary>(({ figures }) => figures),
];

/** The columns of a report in another currency. */
export const SUMMARY_CURRENCY: readonly CsvColumn<UsageSummary>[] = [
  { header: 'currency', value: ({ conversion }) => conversion?.currency },
  { header: 'cost_converted', value: ({ conversion }) => shownConverted(conversion?.cost, ''), numeric: true },
];
