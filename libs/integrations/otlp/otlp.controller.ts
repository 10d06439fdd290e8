import { Body, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, ReadsBody, Refuses, Requires, type Actor } from '#access';
import { OtlpTracesAnswerDto, OtlpTracesDto } from './otlp.dto.js';
import { TraceSink, type TraceAnswer } from './trace-sink.service.js';

const MAX_BYTES = 10 * 1024 * 1024;

/** A receiver of OpenTelemetry's protocol for traces. */
@GovernanceController('v1/integrations/otlp', 'OpenTelemetry')
export class OtlpController {
  constructor(private readonly sink: TraceSink) {}

  @Post('v1/traces')
  @HttpCode(HttpStatus.OK)
  @Requires('usage:write', { unlimited: true })
  @ReadsBody({ maxBytes: MAX_BYTES })
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'reportTraces',
    summary: 'Report usage by GenAI spans (OTLP/HTTP, JSON)',
    description:
      'Spans with token counts become usage events; all others are ignored. A span counts once by its trace and span id. ' +
      'At most 10 MiB, not compressed. Protobuf is not read.',
  })
  @ApiBody({ type: OtlpTracesDto })
  @ApiOkResponse({ type: OtlpTracesAnswerDto, description: 'Empty where nothing was rejected.' })
  traces(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<TraceAnswer> {
    return this.sink.record(actor.orgId, body);
  }
}
