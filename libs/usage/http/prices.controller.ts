import { Body, Delete, Get, HttpCode, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { PriceListService } from '../price-list/price-list.service.js';
import { TooManyPricesError } from '../price-list/price.errors.js';
import { presentPrice, PriceResponseDto } from './price-response.dto.js';
import { PutPriceDto, termsOf } from './price.dto.js';

/** The organization's own prices, which override the catalogue. */
@GovernanceController('v1/prices', 'Prices')
export class PricesController {
  constructor(private readonly prices: PriceListService) {}

  @Put()
  @Requires('prices:write')
  @Refuses(400, [409, new TooManyPricesError().message], 413, 415)
  @ApiOperation({
    operationId: 'putPrice',
    summary: 'Set a price or an alias for a provider and model',
    description:
      'Replaces the entry with the same provider, model, service_tier, region and effective_from, or adds one; at most 10,000. Applies to usage ' +
      'reported from now on; stored usage keeps its price. The most specific entry wins.',
  })
  @ApiOkResponse({ type: PriceResponseDto, description: 'The entry after the change.' })
  async put(@CurrentActor() actor: Actor, @Body() body: PutPriceDto): Promise<PriceResponseDto> {
    return presentPrice(await this.prices.put(actor, termsOf(body)));
  }

  @Get()
  @Requires('prices:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listPrices', summary: 'List own prices and aliases, newest first' })
  @ApiPage(PriceResponseDto)
  list(@CurrentActor() actor: Actor, @Query() query: PageQueryDto): Promise<Page<PriceResponseDto>> {
    return this.prices.list(actor.orgId, query, presentPrice);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('prices:write')
  @Refuses(404)
  @ApiOperation({ operationId: 'deletePrice', summary: 'Delete an own price or alias' })
  @ApiNoContentResponse({ description: 'Deleted.' })
  remove(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.prices.remove(actor, id);
  }
}
