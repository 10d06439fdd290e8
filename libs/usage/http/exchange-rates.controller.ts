import { Body, Delete, Get, HttpCode, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { Page } from '#core';
import { ExchangeRateService, TooManyExchangeRatesError } from '../currency/exchange-rate.service.js';
import {
  ExchangeRateQueryDto,
  ExchangeRateResponseDto,
  presentRate,
  PutExchangeRateDto,
  rateOf,
} from './exchange-rate.dto.js';

/** The organization's exchange rates, for reports in its own currency. */
@GovernanceController('v1/exchange-rates', 'Prices')
export class ExchangeRatesController {
  constructor(private readonly rates: ExchangeRateService) {}

  @Put()
  @Requires('prices:write')
  @Refuses(400, [409, new TooManyExchangeRatesError().message], 413, 415)
  @ApiOperation({
    operationId: 'putExchangeRate',
    summary: 'Set the exchange rate of a currency on a day',
    description:
      'Replaces the rate of the same currency and date, or adds one; at most 100,000. Reports with `currency` use it at ' +
      'once, also for past usage.',
  })
  @ApiOkResponse({ type: ExchangeRateResponseDto, description: 'The rate after the change.' })
  async put(@CurrentActor() actor: Actor, @Body() body: PutExchangeRateDto): Promise<ExchangeRateResponseDto> {
    return presentRate(await this.rates.put(actor, rateOf(body)));
  }

  @Get()
  @Requires('prices:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listExchangeRates', summary: 'List exchange rates, the latest entry first' })
  @ApiPage(ExchangeRateResponseDto)
  list(
    @CurrentActor() actor: Actor,
    @Query() { currency, date, cursor, limit }: ExchangeRateQueryDto,
  ): Promise<Page<ExchangeRateResponseDto>> {
    return this.rates.list(actor.orgId, { currency, day: date, cursor, limit }, presentRate);
  }

  @Get(':id')
  @Requires('prices:read')
  @Refuses(404)
  @ApiOperation({ operationId: 'getExchangeRate', summary: 'Get an exchange rate' })
  @ApiOkResponse({ type: ExchangeRateResponseDto, description: 'The rate.' })
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<ExchangeRateResponseDto> {
    return presentRate(await this.rates.get(actor.orgId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('prices:write')
  @Refuses(404)
  @ApiOperation({ operationId: 'deleteExchangeRate', summary: 'Delete an exchange rate' })
  @ApiNoContentResponse({ description: 'Deleted.' })
  remove(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.rates.remove(actor, id);
  }
}
