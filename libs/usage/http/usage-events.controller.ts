import { Body, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, getSchemaPath } from '@nestjs/swagger';
import {
  announcedBytesOf,
  answerBytesMax,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  TextBody,
  type Actor,
  type HttpRequest,
} from '#access';
import { StoredUsageEvents } from '../ingest/stored-events.service.js';
import { UsageIngestion, type UsageReceipt } from '../ingest/usage-ingestion.js';
import { reporterOf } from '../ingest/usage-reporter.js';
import { EventAdjustments } from '../rerating/event-adjustments.service.js';
import { presentEvent, StoredUsageEventDto } from './stored-usage-event.dto.js';
import { boundedRejections } from './bounded-rejections.js';
import { CLOUD_EVENTS, eventsOf, MAX_BATCH_BYTES, NDJSON } from './usage-body.js';
import { BATCH_EXAMPLE, CLOUD_EVENTS_EXAMPLE, NDJSON_EXAMPLE } from './usage-event.examples.js';
import { UsageBatchDto, UsageEventDto, UsageReceiptDto } from './usage-event.dto.js';

const CLOUD_EVENT = {
  type: 'object',
  required: ['specversion', 'id', 'source', 'type', 'data'],
  properties: {
    specversion: { type: 'string', enum: ['1.0'] },
    id: { type: 'string', description: 'Default of data.id.' },
    source: { type: 'string' },
    type: { type: 'string' },
    time: { type: 'string', format: 'date-time', description: 'Default of data.occurred_at.' },
    subject: { type: 'string', description: 'UUID or e-mail address of the user, unless data names one.' },
    // The items do not use the schema of a usage event, because data may omit fields that the envelope contains.
    data: { type: 'object', additionalProperties: true, description: 'The other fields of a usage event.' },
  },
};

/** Routes of single usage events, which gateways and SDKs send. */
@GovernanceController('v1/usage/events', 'Usage')
export class UsageEventsController {
  constructor(
    private readonly ingestion: UsageIngestion,
    private readonly events: StoredUsageEvents,
    private readonly adjustments: EventAdjustments,
  ) {}

  @Post()
  @HttpCode(200)
  @Requires('usage:write', { unlimited: true })
  @ReadsBody({ maxBytes: MAX_BATCH_BYTES, textTypes: [NDJSON, CLOUD_EVENTS] })
  @Refuses(400, 413, 415)
  @ApiExtraModels(UsageBatchDto, UsageEventDto)
  @ApiOperation({
    operationId: 'reportUsage',
    summary: 'Report 1 to 1,000 usage events',
    description:
      'Stores the valid events and lists the others in rejected. Sending a batch again is ' +
      'safe: an event counts once. At most 5 MiB.',
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: getSchemaPath(UsageBatchDto) }, example: BATCH_EXAMPLE },
        [NDJSON]: {
          schema: { type: 'string', description: 'One usage event per line.' },
          example: NDJSON_EXAMPLE,
        },
        [CLOUD_EVENTS]: {
          schema: { type: 'array', minItems: 1, maxItems: 1_000, items: CLOUD_EVENT },
          example: CLOUD_EVENTS_EXAMPLE,
        },
      },
    },
  })
  @ApiOkResponse({ type: UsageReceiptDto, description: 'The outcome for each event.' })
  async report(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Body() body: unknown,
  ): Promise<UsageReceipt> {
    const receipt = await this.ingestion.recordRaw(actor.orgId, eventsOf(body), { reporter: reporterOf(actor) });
    // A JSON body without a declared length has already been parsed.
    const bytes = body instanceof TextBody ? Buffer.byteLength(body.text) : announcedBytesOf(request);
    return { ...receipt, rejected: boundedRejections(receipt.rejected, answerBytesMax(bytes)) };
  }

  @Get(':id')
  @Requires('usage:read')
  @Refuses(404)
  @ApiOperation({ operationId: 'getUsageEvent', summary: 'Get a stored usage event with its price' })
  @ApiParam({ name: 'id', description: 'Id with which the event was sent.', example: 'req_7f3a9c52' })
  @ApiOkResponse({ type: StoredUsageEventDto, description: 'The stored event.' })
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<StoredUsageEventDto> {
    const event = await this.events.get(actor.orgId, id);
    return presentEvent(event, await this.adjustments.of(actor.orgId, event.id));
  }
}
