import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { CsvColumn } from '../csv/index.js';
import type { UsageSummary } from '../report/usage-report.service.js';
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
}) {}

/** Maps a summary to the API. */
export function presentSummary({ userId, userEmail, model, provider, period, figures }: UsageSummary): UsageSummaryDto {
  return {
    user_id: userId,
    ...(userEmail === undefined ? {} : { user_email: userEmail }),
    model,
    provider,
    period,
    ...presentFigures(figures),
  };
}

/** The same fields as table columns; money is exact decimal text. */
export const SUMMARY_COLUMNS: readonly CsvColumn<UsageSummary>[] = [
  { header: 'period', value: summary => summary.period },
  { header: 'user_id', value: summary => summary.userId },
  { header: 'user_email', value: summary => summary.userEmail },
  { header: 'model', value: summary => summary.model },
  { header: 'provider', value: summary => summary.provider },
  ...figureCsv<UsageSummary>(({ figures }) => figures),
];
