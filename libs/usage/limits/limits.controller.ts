import { Body, Delete, Get, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
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
import {
  CreateLimitDto,
  limitDraftOf,
  LimitPartDto,
  LimitPartQueryDto,
  limitPatchOf,
  LimitResponseDto,
  presentLimit,
  UpdateLimitDto,
} from './limit.dto.js';
import { TooManyLimitsError } from './limit.errors.js';
import { LimitListService } from './limit-list.service.js';
import { LimitService } from './limit.service.js';

/** HTTP routes of limits. */
@GovernanceController('v1/limits', 'Limits')
export class LimitsController {
  constructor(
    private readonly limits: LimitService,
    private readonly lists: LimitListService,
  ) {}

  @Post()
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'createLimit',
    summary: 'Create a limit',
    description: 'Requests in any minute, tokens in any minute, or requests at the same time. At most 10,000.',
  })
  @ApiCreatedResponse({ type: LimitResponseDto, description: 'The limit. Decisions apply it at once.' })
  @Refuses(400, [409, new TooManyLimitsError().message], 413, 415)
  async create(@CurrentActor() actor: Actor, @Body() body: CreateLimitDto): Promise<LimitResponseDto> {
    return presentLimit(await this.limits.create(actor, limitDraftOf(body)));
  }

  @Get()
  @Requires('budgets:read')
  @ApiOperation({ operationId: 'listLimits', summary: 'List limits, newest first' })
  @ApiPage(LimitResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: PageQueryDto): Promise<Page<LimitResponseDto>> {
    return this.lists.list(actor.orgId, query, presentLimit);
  }

  @Get(':id')
  @Requires('budgets:read')
  @ApiOperation({ operationId: 'getLimit', summary: 'Get a limit' })
  @ApiOkResponse({ type: LimitResponseDto, description: 'The limit.' })
  @Refuses(404)
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<LimitResponseDto> {
    return presentLimit(await this.limits.get(actor.orgId, id));
  }

  @Get(':id/parts')
  @Requires('budgets:read')
  @ApiOperation({
    operationId: 'listLimitParts',
    summary: 'List how much of a limit is used',
    description: 'One entry per part that was used in the last ten minutes, ordered by name.',
  })
  @ApiPage(LimitPartDto)
  @Refuses(400, 404)
  async parts(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Query() query: LimitPartQueryDto,
  ): Promise<Page<LimitPartDto>> {
    const limit = await this.limits.get(actor.orgId, id);
    return this.lists.parts(actor.orgId, limit.id, query, part => ({ limit_id: limit.id, ...part }));
  }

  @Patch(':id')
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'updateLimit',
    summary: 'Change the name or the numbers of a limit',
    description: 'The scope and the split cannot be changed; create another limit instead.',
  })
  @ApiOkResponse({ type: LimitResponseDto, description: 'The limit after the change. Decisions apply it at once.' })
  @Refuses(400, 404, 413, 415)
  async update(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: UpdateLimitDto,
  ): Promise<LimitResponseDto> {
    return presentLimit(await this.limits.update(actor, id, limitPatchOf(body)));
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('budgets:write')
  @ApiOperation({ operationId: 'deleteLimit', summary: 'Delete a limit' })
  @ApiNoContentResponse({ description: 'The limit is deleted. Decisions no longer apply it.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.limits.delete(actor, id);
  }
}
