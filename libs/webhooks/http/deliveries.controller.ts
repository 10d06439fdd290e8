import { Body, Get, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
  type HttpResponse,
} from '#access';
import type { Page } from '#core';
import { DeliveryLog } from '../log/delivery-log.js';
import { PingService, TooManyPingsError, PINGS_PER_MINUTE } from '../ping/ping.service.js';
import { WebhookPausedError } from '../registrations/webhook.errors.js';
import { DeliveryNotRetriableError, DeliveryRetry } from '../retry/delivery-retry.js';
import { RecoveryService } from '../retry/recovery.service.js';
import { DeliveryQueryDto, DeliveryResponseDto, readDeliveryQuery } from './delivery.dto.js';
import { NoBody, type NothingDto } from './nothing.dto.js';
import { RecoverDto, RecoveryResponseDto } from './webhook.dto.js';
import { presentRecovery } from './webhook.presenter.js';

/** HTTP routes of the deliveries of a webhook (interface specification, sections 4.9 and 4.10). */
@GovernanceController('v1/webhooks/:id', 'Webhooks')
export class DeliveriesController {
  constructor(
    private readonly log: DeliveryLog,
    private readonly retries: DeliveryRetry,
    private readonly recoveries: RecoveryService,
    private readonly pings: PingService,
  ) {}

  @Get('deliveries')
  @Requires('webhooks:read')
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries with their attempts, the newest first',
    description: 'Shows the ten latest attempts of each delivery. Get a single delivery to see all of its attempts.',
  })
  @ApiPage(DeliveryResponseDto)
  @Refuses(400, 404)
  list(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @Query() query: DeliveryQueryDto,
  ): Promise<Page<DeliveryResponseDto>> {
    return this.log.list(orgId, id, readDeliveryQuery(query));
  }

  @Get('deliveries/:delivery_id')
  @Requires('webhooks:read')
  @ApiOperation({ operationId: 'getDelivery', summary: 'Get a delivery with all its attempts' })
  @ApiOkResponse({ type: DeliveryResponseDto, description: 'The delivery.' })
  @Refuses(404)
  get(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @ResourceId('delivery_id') deliveryId: string,
  ): Promise<DeliveryResponseDto> {
    return this.log.get(orgId, id, deliveryId);
  }

  @Post('deliveries/:delivery_id/retry')
  @HttpCode(HttpStatus.ACCEPTED)
  @ReadsBody({ optional: true })
  @Requires('webhooks:write')
  @ApiOperation({
    operationId: 'retryDelivery',
    summary: 'Retry a failed delivery once',
    description:
      'Makes one attempt at once, or when the webhook is resumed. If it fails, the delivery is `failed` again.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponseDto, description: 'The delivery, with the status `pending`.' })
  @Refuses(400, 404, [409, new DeliveryNotRetriableError('delivered').message], 413, 415)
  retry(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @ResourceId('delivery_id') deliveryId: string,
    @NoBody() _nothing: NothingDto,
  ): Promise<DeliveryResponseDto> {
    return this.retries.retry(actor, id, deliveryId);
  }

  @Post('recover')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('webhooks:write')
  @ApiOperation({
    operationId: 'recoverDeliveries',
    summary: 'Retry all deliveries that failed since a time',
    description: 'Runs in the background and continues after a restart.',
  })
  @ApiAcceptedResponse({ type: RecoveryResponseDto, description: 'The recovery has started.' })
  @Refuses(400, 404, 413, 415)
  async recover(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: RecoverDto,
  ): Promise<RecoveryResponseDto> {
    return presentRecovery(await this.recoveries.begin(actor, id, new Date(body.since)));
  }

  @Post('test')
  @HttpCode(HttpStatus.ACCEPTED)
  @ReadsBody({ optional: true })
  @Requires('webhooks:write')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a ping to a webhook',
    description:
      'Sends an event of type `ping` with empty data, which is delivered like any other. At most ten per minute.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponseDto, description: 'The delivery of the ping.' })
  @Refuses(400, 404, [409, new WebhookPausedError().message], 413, 415)
  async test(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @NoBody() _nothing: NothingDto,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<DeliveryResponseDto> {
    try {
      return await this.pings.ping(actor, id);
    } catch (error) {
      if (error instanceof TooManyPingsError) showPingLimit(response, error);
      throw error;
    }
  }
}

/**
 * Replaces the rate limit headers of the general limit, which still has requests left, by those of pings. The form is
 * that of draft-ietf-httpapi-ratelimit-headers-10.
 */
function showPingLimit(response: HttpResponse, { retryAfterSeconds }: TooManyPingsError): void {
  const set = (name: string, value: string): unknown =>
    'setHeader' in response ? response.setHeader(name, value) : response.header(name, value);
  set('RateLimit-Policy', `"ping";q=${PINGS_PER_MINUTE};w=60`);
  set('RateLimit', `"ping";r=0;t=${retryAfterSeconds}`);
}
