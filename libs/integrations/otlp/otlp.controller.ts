import { Body, HttpCode, HttpStatus, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, ReadsBody, Refuses, Requires, type Actor } from '#access';
import {
  OtlpCostQueryDto,
  OtlpLogsAnswerDto,
  OtlpLogsDto,
  OtlpMetricsAnswerDto,
  OtlpMetricsDto,
  OtlpTracesAnswerDto,
  OtlpTracesDto,
} from './otlp.dto.js';
import { encodeResponse, PROTOBUF } from './otlp-protobuf.js';
import type { TelemetryContext } from './report.js';
import { TelemetrySink, type PartialSuccess } from './telemetry-sink.service.js';

/** The limits also apply to the decompressed body. */
const BODY = { maxBytes: 10 * 1024 * 1024, binaryTypes: [PROTOBUF], gzip: true };
const EMPTY_ANSWER = 'Empty if nothing was rejected.';

/**
 * A receiver of OpenTelemetry's protocol. Counts are texts, because OTLP writes integers of 64 bits as texts in JSON.
 */
@GovernanceController('v1/integrations/otlp', 'OpenTelemetry')
export class OtlpController {
  constructor(private readonly sink: TelemetrySink) {}

  @Post('v1/traces')
  @HttpCode(HttpStatus.OK)
  @Requires('usage:write', { unlimited: true })
  @ReadsBody(BODY)
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'reportTraces',
    summary: 'Report usage by GenAI spans (OTLP/HTTP)',
    description:
      'Spans with token counts become usage events; all others are ignored. A span counts once by its trace and span id, ' +
      'a request of Claude Code by its request id. At most 10 MiB, before and after gzip.',
  })
  @ApiBody({ type: OtlpTracesDto })
  @ApiOkResponse({ type: OtlpTracesAnswerDto, description: EMPTY_ANSWER })
  async traces(
    @CurrentActor() actor: Actor,
    @Query() query: OtlpCostQueryDto,
    @Body() body: unknown,
  ): Promise<OtlpTracesAnswerDto | StreamableFile> {
    const partial = await this.sink.record(actor, 'traces', body, telemetryOf(actor, query));
    return answerTo(body, partial, ({ rejected, errorMessage }) => ({ rejectedSpans: String(rejected), errorMessage }));
  }

  @Post('v1/logs')
  @HttpCode(HttpStatus.OK)
  @Requires('usage:write', { unlimited: true })
  @ReadsBody(BODY)
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'reportLogs',
    summary: 'Report usage by log events of Claude Code (OTLP/HTTP)',
    description:
      'Events `claude_code.api_request` become usage events, once by their request id; all others are ignored. At most ' +
      '10 MiB, before and after gzip.',
  })
  @ApiBody({ type: OtlpLogsDto })
  @ApiOkResponse({ type: OtlpLogsAnswerDto, description: EMPTY_ANSWER })
  async logs(
    @CurrentActor() actor: Actor,
    @Query() query: OtlpCostQueryDto,
    @Body() body: unknown,
  ): Promise<OtlpLogsAnswerDto | StreamableFile> {
    const partial = await this.sink.record(actor, 'logs', body, telemetryOf(actor, query));
    return answerTo(body, partial, ({ rejected, errorMessage }) => ({
      rejectedLogRecords: String(rejected),
      errorMessage,
    }));
  }

  @Post('v1/metrics')
  @HttpCode(HttpStatus.OK)
  @Requires('usage:write', { unlimited: true })
  @ReadsBody(BODY)
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'reportMetrics',
    summary: 'Report usage by metrics of Claude Code (OTLP/HTTP)',
    description:
      '`claude_code.token.usage` becomes usage events where the resource attribute `governance.usage` is `metrics`; then ' +
      'logs and spans do not count. All other metrics are ignored. At most 10 MiB, before and after gzip.',
  })
  @ApiBody({ type: OtlpMetricsDto })
  @ApiOkResponse({ type: OtlpMetricsAnswerDto, description: EMPTY_ANSWER })
  async metrics(
    @CurrentActor() actor: Actor,
    @Query() query: OtlpCostQueryDto,
    @Body() body: unknown,
  ): Promise<OtlpMetricsAnswerDto | StreamableFile> {
    const partial = await this.sink.record(actor, 'metrics', body, telemetryOf(actor, query));
    return answerTo(body, partial, ({ rejected, errorMessage }) => ({
      rejectedDataPoints: String(rejected),
      errorMessage,
    }));
  }
}

/** Responds in the format of the request, JSON or protobuf. */
function answerTo<Shown>(
  body: unknown,
  partial: PartialSuccess | undefined,
  show: (partial: PartialSuccess) => Shown,
): { partialSuccess?: Shown } | StreamableFile {
  if (body instanceof Uint8Array) return new StreamableFile(encodeResponse(partial), { type: PROTOBUF });
  return partial ? { partialSuccess: show(partial) } : {};
}

function telemetryOf({ userId }: Actor, { cost }: OtlpCostQueryDto): TelemetryContext {
  return {
    sender: userId === undefined ? undefined : { user_id: userId },
    countsReportedCost: cost === 'reported',
  };
}
