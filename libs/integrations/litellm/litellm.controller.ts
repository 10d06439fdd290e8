import { Body, HttpCode, HttpStatus, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  announcedBytesOf,
  answerBytesMax,
  ApiKeyGuard,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  TextBody,
  type Actor,
  type HttpRequest,
} from '#access';
import { boundedRejections } from '#usage';
import { GuardrailService, type GuardrailAnswer } from './guardrail.service.js';
import {
  LitellmGuardrailAnswerDto,
  LitellmGuardrailDto,
  LitellmLogQueryDto,
  LitellmLogReceiptDto,
  LOG_EXAMPLE,
  LOG_LINES_EXAMPLE,
} from './litellm.dto.js';
import { ENTRIES_MAX, NDJSON } from './log-entries.js';
import { LogSink, type LogReceipt } from './log-sink.service.js';

/** Maximum size of the bodies of both routes. They contain prompts and images. */
const MAX_BYTES = 10 * 1024 * 1024;

const ENTRY = { type: 'object', additionalProperties: true } as const;

/** Routes for LiteLLM's guardrail and logger. LiteLLM sends its access token as `x-api-key`. */
@GovernanceController('v1/integrations/litellm', 'LiteLLM')
// This guard must run before the guard that authenticates the caller.
@UseGuards(ApiKeyGuard)
export class LitellmController {
  constructor(
    private readonly guardrail: GuardrailService,
    private readonly sink: LogSink,
  ) {}

  // LiteLLM appends this path to the configured `api_base`.
  @Post('beta/litellm_basic_guardrail_api')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @ReadsBody({ maxBytes: MAX_BYTES })
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'decideLitellmCall',
    summary: 'Decide about a call of LiteLLM (generic guardrail API)',
    description: 'At most 10 MiB. The token comes as `x-api-key` or as `Authorization: Bearer`.',
  })
  @ApiBody({ type: LitellmGuardrailDto })
  @ApiOkResponse({ type: LitellmGuardrailAnswerDto, description: 'BLOCKED with the reason, or NONE.' })
  ask(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<GuardrailAnswer> {
    return this.guardrail.ask(actor, body);
  }

  @Post('logs')
  @HttpCode(HttpStatus.OK)
  @Requires('usage:write', { unlimited: true })
  @ReadsBody({ maxBytes: MAX_BYTES, textTypes: ['application/json', NDJSON] })
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'reportLitellmLogs',
    summary: 'Report usage by the log of LiteLLM (generic_api callback)',
    description:
      'A list of StandardLoggingPayload, one alone, or one per line. Valid entries are stored; the others are named in ' +
      'rejected. An entry counts once by its id. At most 10 MiB.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { type: 'array', minItems: 1, maxItems: ENTRIES_MAX, items: ENTRY },
          example: LOG_EXAMPLE,
        },
        [NDJSON]: { schema: { type: 'string', description: 'One entry per line.' }, example: LOG_LINES_EXAMPLE },
      },
    },
  })
  @ApiOkResponse({ type: LitellmLogReceiptDto, description: 'The result of each entry.' })
  async log(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Query() { cost = 'catalogue' }: LitellmLogQueryDto,
    @Body() body: unknown,
  ): Promise<LogReceipt> {
    const receipt = await this.sink.record(actor, body, cost);
    const bytes = body instanceof TextBody ? Buffer.byteLength(body.text) : announcedBytesOf(request);
    return { ...receipt, rejected: boundedRejections(receipt.rejected, answerBytesMax(bytes)) };
  }
}
