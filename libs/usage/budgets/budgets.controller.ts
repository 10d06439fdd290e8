import { Body, Delete, Get, HttpCode, HttpStatus, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { Page } from '#core';
import { BudgetQueryDto, BudgetResponseDto, CreateBudgetDto, draftOf, UpdateBudgetDto } from './budget.dto.js';
import { BudgetNotFoundError, BudgetNotSplitError, TooManyBudgetsError } from './budget.errors.js';
import { BudgetOverrideDto, BudgetPartQueryDto, BudgetPartResponseDto, presentPart } from './budget-part.dto.js';
import { BudgetOverrides } from './budget-overrides.service.js';
import { BudgetParts } from './budget-parts.service.js';
import { BudgetListService } from './budget-list.service.js';
import { presentBudget } from './budget.presenter.js';
import { BudgetService } from './budget.service.js';

/** Budgets over HTTP. */
@GovernanceController('v1/budgets', 'Budgets')
export class BudgetsController {
  constructor(
    private readonly budgets: BudgetService,
    private readonly lists: BudgetListService,
    private readonly parts: BudgetParts,
    private readonly overrides: BudgetOverrides,
  ) {}

  @Post()
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'createBudget',
    summary: 'Create a budget',
    description:
      'Its present window begins with what has been spent in it already. Where that reaches a threshold of the amount, ' +
      '`budget_warning` or `budget_exceeded` is sent at once. At most 10,000.',
  })
  @ApiCreatedResponse({ type: BudgetResponseDto, description: 'The budget; decisions follow it at once.' })
  @Refuses(400, [409, new TooManyBudgetsError().message], 413, 415)
  async create(@CurrentActor() actor: Actor, @Body() body: CreateBudgetDto): Promise<BudgetResponseDto> {
    return presentBudget(await this.budgets.create(actor, draftOf(body)));
  }

  @Get()
  @Requires('budgets:read')
  @ApiOperation({ operationId: 'listBudgets', summary: 'List budgets and where they stand, the newest first' })
  @ApiPage(BudgetResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: BudgetQueryDto): Promise<Page<BudgetResponseDto>> {
    return this.lists.list(actor.orgId, query, presentBudget);
  }

  @Get(':id')
  @Requires('budgets:read')
  @ApiOperation({ operationId: 'getBudget', summary: 'Get a budget and where it stands' })
  @ApiOkResponse({ type: BudgetResponseDto, description: 'The budget.' })
  @Refuses(404)
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<BudgetResponseDto> {
    return presentBudget(await this.budgets.get(actor.orgId, id));
  }

  @Patch(':id')
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'updateBudget',
    summary: 'Change name, amount, enforcement or alert thresholds of a budget',
    description: 'What a budget is for and its period stay as they are: for another, make another budget.',
  })
  @ApiOkResponse({ type: BudgetResponseDto, description: 'The budget as it is now; decisions follow it at once.' })
  @Refuses(400, 404, 413, 415)
  async update(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: UpdateBudgetDto,
  ): Promise<BudgetResponseDto> {
    return presentBudget(await this.budgets.update(actor, id, draftOf(body)));
  }

  @Get(':id/parts')
  @Requires('budgets:read')
  @ApiOperation({
    operationId: 'listBudgetParts',
    summary: 'List where the parts of a split budget stand',
    description: 'Parts that were used in the present window or have an amount of their own, by their names.',
  })
  @ApiPage(BudgetPartResponseDto)
  @Refuses(400, 404, [409, new BudgetNotSplitError().message])
  listParts(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Query() query: BudgetPartQueryDto,
  ): Promise<Page<BudgetPartResponseDto>> {
    return this.parts.list(actor.orgId, id, query, presentPart);
  }

  @Put(':id/overrides')
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'updateBudgetOverride',
    summary: 'Set the amount of one part of a split budget',
    description: 'Holds from the present window on. With null, the part has the amount of the budget again.',
  })
  @ApiOkResponse({ type: BudgetPartResponseDto, description: 'Where the part stands; decisions follow it at once.' })
  @Refuses(400, 404, [409, new BudgetNotSplitError().message], 413, 415)
  async override(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: BudgetOverrideDto,
  ): Promise<BudgetPartResponseDto> {
    const part = await this.overrides.set(actor, id, body.part, body.amount_usd);
    const { items } = await this.parts.list(actor.orgId, id, { part, limit: 1 }, presentPart);
    const [shown] = items;
    if (!shown) throw new BudgetNotFoundError(id);
    return shown;
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('budgets:write')
  @ApiOperation({ operationId: 'deleteBudget', summary: 'Delete a budget and what it has counted' })
  @ApiNoContentResponse({ description: 'It is gone; decisions no longer follow it.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.budgets.delete(actor, id);
  }
}
