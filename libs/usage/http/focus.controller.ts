import { Readable } from 'node:stream';
import { Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  CurrentActor,
  GovernanceController,
  Refuses,
  Requires,
  streamedAnswer,
  type Actor,
  type HttpResponse,
} from '#access';
import { ReportSources } from '#database';
import { FOCUS_COLUMNS, FOCUS_VERSION, FocusExport } from '../focus/index.js';
import { parseDateRange } from '../periods/index.js';
import { DATED, datedReport } from './data-as-of.js';
import { CurrencyField } from './currency-field.js';
import { DayField } from './usage-query.dto.js';

/** Which days to export. */
export class FocusQueryDto {
  @DayField({ optional: true, description: 'First day, inclusive, UTC. Default: the day of the first usage.' })
  start_date?: string;

  @DayField({ optional: true, description: 'Last day, inclusive, UTC. Default: the day of the latest usage.' })
  end_date?: string;

  @CurrencyField({
    optional: true,
    description:
      'Adds the columns x_ConvertedEffectiveCost and x_ConvertedListCost with the costs in this currency, and ' +
      'x_ConvertedCurrency and x_ExchangeRate. They are empty on days without an exchange rate.',
  })
  currency?: string;
}

const EXAMPLE = `${FOCUS_COLUMNS.map(({ header }) => header).join(',')}\r\n`;

/** Usage exports for finance tools. */
@GovernanceController('v1/usage/focus', 'Usage')
export class FocusController {
  constructor(
    private readonly focus: FocusExport,
    private readonly answers: AnswerWriter,
    private readonly sources: ReportSources,
  ) {}

  @Get()
  @Requires('usage:read')
  @Refuses(400)
  @ApiOperation({
    operationId: 'queryUsageAsFocus',
    summary: `Usage as CSV in the FinOps Open Cost and Usage Specification (FOCUS) ${FOCUS_VERSION}`,
    description:
      'One row per UTC day, provider, model, department, project and set of tags. Custom columns begin with `x_`. ' +
      'The sum of the costs equals the cost in reports, to the last digit.',
  })
  @ApiOkResponse({
    description: 'The rows, ordered by day.',
    headers: DATED,
    content: { 'text/csv': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  async export(
    @CurrentActor() { orgId }: Actor,
    @Query() query: FocusQueryDto,
    @Res() response: HttpResponse,
  ): Promise<void> {
    const range = parseDateRange(query.start_date, query.end_date);
    const read = await this.sources.read(async ({ database }) => {
      const rest = this.focus.csv(orgId, range, query.currency, database);
      // Reads the first chunk before the response starts, so that an early failure becomes an error response.
      return { first: await rest.next(), rest };
    });
    const { first, rest: pieces } = datedReport(response, read);
    const file = streamedAnswer(Readable.from(whole(first.done ? '' : first.value, pieces), { objectMode: false }), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: 'attachment; filename="focus.csv"',
    });
    this.answers.write(response, file);
  }
}

async function* whole(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  for await (const piece of rest) if (piece !== '') yield piece;
}
