import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import type { Page } from '#core';
import { DeliveryLog } from '../log/delivery-log.js';
import { DeliveryQueryDto, DeliveryResponseDto, readDeliveryQuery } from './delivery.dto.js';

/** HTTP routes of the deliveries of all webhooks. */
@GovernanceController('v1/deliveries', 'Webhooks')
export class AllDeliveriesController {
  constructor(private readonly log: DeliveryLog) {}

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
}
