import { Body, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
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
import { ReratingUnderWayError } from '../rerating/rerating.js';
import { Reratings } from '../rerating/reratings.service.js';
import { BeginReratingDto, presentRerating, ReratingResponseDto, scopeOf } from './price-rerating.dto.js';

/** HTTP routes of re-ratings. */
@GovernanceController('v1/prices/reratings', 'Prices')
export class PriceReratingsController {
  constructor(private readonly reratings: Reratings) {}

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('prices:write')
  @Refuses(400, [409, new ReratingUnderWayError().message], 413, 415)
  @ApiOperation({
    operationId: 'createRerating',
    summary: 'Reprice stored usage after a price was corrected',
    description:
      'Prices each event in the range whose sender stated no cost, with the current prices as of the time of the event. ' +
      'Stored events do not change: the differences are added to events, reports and budgets as adjustments. Runs in ' +
      'the background and continues after a restart. Running it again changes nothing.',
  })
  @ApiAcceptedResponse({ type: ReratingResponseDto, description: 'The re-rating has started.' })
  async begin(@CurrentActor() actor: Actor, @Body() body: BeginReratingDto): Promise<ReratingResponseDto> {
    return presentRerating(await this.reratings.begin(actor, scopeOf(body)));
  }

  @Get()
  @Requires('prices:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listReratings', summary: 'List re-ratings, newest first' })
  @ApiPage(ReratingResponseDto)
  list(@CurrentActor() { orgId }: Actor, @Query() query: PageQueryDto): Promise<Page<ReratingResponseDto>> {
    return this.reratings.list(orgId, query, presentRerating);
  }

  @Get(':id')
  @Requires('prices:read')
  @Refuses(404)
  @ApiOperation({ operationId: 'getRerating', summary: 'Get a re-rating with its progress' })
  @ApiOkResponse({ type: ReratingResponseDto, description: 'The re-rating.' })
  async get(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<ReratingResponseDto> {
    return presentRerating(await this.reratings.get(orgId, id));
  }
}
