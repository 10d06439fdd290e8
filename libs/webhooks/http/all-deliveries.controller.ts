import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { Page } from '#core';
import { DeliveryExchanges } from '../log/delivery-exchange.js';
import { DeliveryLog } from '../log/delivery-log.js';
import {
  DeliveryExchangeResponseDto,
  DeliveryQueryDto,
  DeliveryResponseDto,
  readDeliveryQuery,
} from './delivery.dto.js';

/** HTTP routes of the deliveries of all webhooks. */
@GovernanceController('v1/deliveries', 'Webhooks')
export class AllDeliveriesController {
  constructor(
    private readonly log: DeliveryLog,
    private readonly exchanges: DeliveryExchanges,
  ) {}

  @Get()
  @Requires('webhooks:read')
  @ApiOperation({
    operationId: 'listAllDeliveries',
    summary: 'List deliveries of all webhooks with their attempts, the newest first',
    description: 'Shows the ten latest attempts of each delivery. Get a single delivery to see all of its attempts.',
  })
  @ApiPage(DeliveryResponseDto)
  @Refuses(400)
  list(@CurrentActor() { orgId }: Actor, @Query() query: DeliveryQueryDto): Promise<Page<DeliveryResponseDto>> {
    return this.log.listAll(orgId, readDeliveryQuery(query));
  }

  @Get(':id')
  @Requires('webhooks:read')
  @ApiOperation({
    operationId: 'getDeliveryExchange',
    summary: 'Get a delivery with what was sent and what was answered',
    description:
      'Adds the body, and the headers of each attempt: those sent with their signatures, and those of the answer ' +
      'without cookies. No answer contains a signing secret.',
  })
  @ApiOkResponse({ type: DeliveryExchangeResponseDto, description: 'The delivery.' })
  @Refuses(404)
  get(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<DeliveryExchangeResponseDto> {
    return this.exchanges.of(orgId, id);
  }
}
