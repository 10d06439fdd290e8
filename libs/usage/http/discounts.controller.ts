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
import { DiscountService, TooManyDiscountsError } from '../price-list/discount.service.js';
import { discountOf, DiscountResponseDto, presentDiscount, PutDiscountDto } from './discount.dto.js';

/** The organization's contract discounts. */
@GovernanceController('v1/discounts', 'Prices')
export class DiscountsController {
  constructor(private readonly discounts: DiscountService) {}

  @Put()
  @Requires('prices:write')
  @Refuses(400, [409, new TooManyDiscountsError().message], 413, 415)
  @ApiOperation({
    operationId: 'putDiscount',
    summary: 'Set a contract discount for a provider and model',
    description:
      'Replaces the entry with the same provider, model and effective_from, or adds one; at most 1,000. Applies by the ' +
      'time of the usage, to usage reported from now on; a re-rating applies it to stored usage. The most specific ' +
      'discount in force applies, alone. Costs that senders state have no discount.',
  })
  @ApiOkResponse({ type: DiscountResponseDto, description: 'The discount after the change.' })
  async put(@CurrentActor() actor: Actor, @Body() body: PutDiscountDto): Promise<DiscountResponseDto> {
    return presentDiscount(await this.discounts.put(actor, discountOf(body)));
  }

  @Get()
  @Requires('prices:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listDiscounts', summary: 'List contract discounts, newest first' })
  @ApiPage(DiscountResponseDto)
  list(@CurrentActor() actor: Actor, @Query() query: PageQueryDto): Promise<Page<DiscountResponseDto>> {
    return this.discounts.list(actor.orgId, query, presentDiscount);
  }

  @Get(':id')
  @Requires('prices:read')
  @Refuses(404)
  @ApiOperation({ operationId: 'getDiscount', summary: 'Get a contract discount' })
  @ApiOkResponse({ type: DiscountResponseDto, description: 'The discount.' })
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<DiscountResponseDto> {
    return presentDiscount(await this.discounts.get(actor.orgId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('prices:write')
  @Refuses(404)
  @ApiOperation({ operationId: 'deleteDiscount', summary: 'Delete a contract discount' })
  @ApiNoContentResponse({ description: 'Deleted.' })
  remove(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.discounts.remove(actor, id);
  }
}
