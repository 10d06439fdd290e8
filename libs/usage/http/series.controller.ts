import { Get, Header, Headers, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, ApiQuery, getSchemaPath } from '@nestjs/swagger';
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
import { UsageSeriesService } from '../series/index.js';
import { presentBreakdown, UsageBreakdownDto } from './breakdown.dto.js';
import { DATED, datedReport } from './data-as-of.js';
import { CSV_FIGURES } from './figure-fields.js';
import { breakdownCsv, seriesCsv } from './series-csv.js';
import { presentSeries, UsageSeriesDto } from './series.dto.js';
import { seriesQueryOf, TAG_FILTER, UsageBreakdownQueryDto, UsageSeriesQueryDto } from './series-query.dto.js';
import { whoseUsage } from './whose-usage.js';

const ACCEPT = {
  name: 'accept',
  required: false,
  description: 'Send `text/csv` to get the report as a table.',
  schema: { type: 'string', enum: ['application/json', 'text/csv'] },
};

const answer = (schema: string, example: string) => ({
  description: 'The report.',
  headers: DATED,
  content: {
    'application/json': { schema: { $ref: schema } },
    'text/csv': { schema: { type: 'string' }, example },
  },
});

const SERIES_EXAMPLE =
  'period,groups,model,cost_usd,unpriced_requests\r\n2026-11-20,shown,gpt-4o,12.500000000000,0\r\n';

const BREAKDOWN_EXAMPLE = `period,groups,department,${CSV_FIGURES.header}\r\n2026-11-20,shown,Sales,${CSV_FIGURES.example}\r\n`;

/** Usage over time by dimension. */
@ApiExtraModels(UsageSeriesDto, UsageBreakdownDto)
@GovernanceController('v1/usage', 'Usage')
export class UsageSeriesController {
  constructor(
    private readonly series: UsageSeriesService,
    private readonly answers: AnswerWriter,
    private readonly sources: ReportSources,
  ) {}

  @Get('series')
  @Header('Vary', 'Accept')
  @Requires(['usage:read', 'usage:read:own'])
  @Refuses(400)
  @ApiOperation({
    operationId: 'getUsageSeries',
    summary: 'Get one metric of usage over time, by group',
    description:
      'The server computes the totals over all groups. With the scope usage:read:own, only the usage of the user behind ' +
      'the credential.',
  })
  @ApiQuery(TAG_FILTER)
  @ApiHeader(ACCEPT)
  @ApiOkResponse(answer(getSchemaPath(UsageSeriesDto), SERIES_EXAMPLE))
  async read(
    @CurrentActor() actor: Actor,
    @Query() query: UsageSeriesQueryDto,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const asked = seriesQueryOf(query, whoseUsage(actor, query.user_id?.toLowerCase()));
    const read = await this.sources.read(({ database }) => this.series.read(actor.orgId, asked, database));
    const series = datedReport(response, read);
    this.answers.write(response, acceptsCsv(accept) ? seriesCsv(series, asked) : presentSeries(series, asked));
  }

  @Get('breakdown')
  @Header('Vary', 'Accept')
  @Requires(['usage:read', 'usage:read:own'])
  @Refuses(400)
  @ApiOperation({
    operationId: 'getUsageBreakdown',
    summary: 'Get all metrics of usage by period and group',
    description:
      'The server computes the totals over all groups. With the scope usage:read:own, only the usage of the user behind ' +
      'the credential.',
  })
  @ApiQuery(TAG_FILTER)
  @ApiHeader(ACCEPT)
  @ApiOkResponse(answer(getSchemaPath(UsageBreakdownDto), BREAKDOWN_EXAMPLE))
  async breakdown(
    @CurrentActor() actor: Actor,
    @Query() query: UsageBreakdownQueryDto,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const asked = seriesQueryOf(query, whoseUsage(actor, query.user_id?.toLowerCase()));
    const read = await this.sources.read(({ database }) => this.series.read(actor.orgId, asked, database));
    const series = datedReport(response, read);
    this.answers.write(response, acceptsCsv(accept) ? breakdownCsv(series, asked) : presentBreakdown(series, asked));
  }
}
