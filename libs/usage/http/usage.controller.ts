import { Get, Header, Headers, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import {
  acceptsCsv,
  AnswerWriter,
  CurrentActor,
  GovernanceController,
  Refuses,
  Requires,
  type Actor,
  type HttpResponse,
} from '#access';
import { ReportSources } from '#database';
import { parseDateRange } from '../periods/index.js';
import type { UsageFilter } from '../report/usage-query.js';
import { UsageReportService } from '../report/usage-report.service.js';
import { DATED, datedReport } from './data-as-of.js';
import { CSV_FIGURES } from './figure-fields.js';
import { csvFile } from './usage-csv.js';
import { UsageQueryDto } from './usage-query.dto.js';
import { whoseUsage } from './whose-usage.js';
import { presentSummary, UsageSummaryDto } from './usage-summary.dto.js';

const PAGE = {
  type: 'object',
  required: ['items', 'next_cursor', 'has_more'],
  properties: {
    items: { type: 'array', items: { $ref: getSchemaPath(UsageSummaryDto) } },
    next_cursor: { type: 'string', nullable: true, description: 'Opaque; null on the last page.', example: null },
    has_more: { type: 'boolean', example: false },
    total_count: { type: 'integer', description: 'Exact up to 10,000, an estimate beyond.', example: 1 },
  },
};

const CSV_EXAMPLE =
  `period,user_id,user_email,model,provider,${CSV_FIGURES.header}\r\n` +
  `2026-11-20,0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33,ada@example.com,gpt-4o,openai,${CSV_FIGURES.example}\r\n`;

/** Reports of usage (interface specification, section 4.6). */
@GovernanceController('v1/usage', 'Usage')
export class UsageController {
  constructor(
    private readonly reports: UsageReportService,
    private readonly answers: AnswerWriter,
    private readonly sources: ReportSources,
  ) {}

  @Get()
  @Header('Vary', 'Accept')
  @Requires(['usage:read', 'usage:read:own'])
  @Refuses(400)
  @ApiOperation({
    operationId: 'queryUsage',
    summary: 'List usage per user, model, provider and period, newest period first',
    description:
      'Only usage from start_date to end_date counts, even if a week or month extends beyond them. With the scope ' +
      'usage:read:own, only the usage of the user behind the credential. As text/csv the whole filtered result is ' +
      'streamed; cursor and limit do not apply to it.',
  })
  @ApiHeader({
    name: 'accept',
    required: false,
    description: 'Send `text/csv` to get the whole result as a table.',
    schema: { type: 'string', enum: ['application/json', 'text/csv'] },
  })
  @ApiExtraModels(UsageSummaryDto)
  @ApiOkResponse({
    description: 'One page, or the whole result as a table.',
    headers: DATED,
    content: {
      'application/json': { schema: PAGE },
      'text/csv': { schema: { type: 'string' }, example: CSV_EXAMPLE },
    },
  })
  async query(
    @CurrentActor() actor: Actor,
    @Query() query: UsageQueryDto,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const { cursor, limit, start_date, end_date, period = 'daily', model, currency } = query;
    const range = parseDateRange(start_date, end_date);
    const filter: UsageFilter = {
      period,
      range,
      model,
      currency,
      userId: whoseUsage(actor, query.user_id?.toLowerCase()),
    };
    const answer = await this.sources.read<object>(({ database, lists }) =>
      acceptsCsv(accept)
        ? csvFile(this.reports.all(actor.orgId, filter, database), currency)
        : this.reports.page(actor.orgId, filter, { cursor, limit }, presentSummary, lists),
    );
    this.answers.write(response, datedReport(response, answer));
  }
}
