import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import type { Page } from '#core';
import { parseDateRange } from '../periods/index.js';
import { UnpricedModels } from '../price-list/unpriced-models.service.js';
import { presentUnpriced, UnpricedModelDto, UnpricedQueryDto } from './price-unpriced.dto.js';

/** Lists used models without a price. */
@GovernanceController('v1/prices/unpriced', 'Prices')
export class UnpricedModelsController {
  constructor(private readonly models: UnpricedModels) {}

  @Get()
  @Requires('prices:read')
  @Refuses(400)
  @ApiOperation({
    operationId: 'listUnpricedModels',
    summary: 'List models with usage that has no known price, by provider and model',
    description: 'Set a price or an alias for each model, then reprice the usage with a re-rating.',
  })
  @ApiPage(UnpricedModelDto)
  async list(@CurrentActor() { orgId }: Actor, @Query() query: UnpricedQueryDto): Promise<Page<UnpricedModelDto>> {
    return this.models.list(orgId, parseDateRange(query.start_date, query.end_date), query, presentUnpriced);
  }
}
