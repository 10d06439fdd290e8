import { Body, Delete, Get, HttpCode, HttpStatus, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { Page } from '#core';
import { BudgetQueryDto, BudgetResponseDto, CreateBudgetDto, draftOf, UpdateBudgetDto } from './budget.dto.js';
import { BudgetNotFoundError, BudgetNotSplitError, TooManyBudgetsError } from './budget.errors.js';
import { BudgetOverrideDto, BudgetPartQueryDto, BudgetPartResponseDto, presentPart } from './budget-part.dto.js';
import { BudgetHistory } from './budget-history.service.js';
import { BudgetWindowDto, presentWindow } from './budget-history.dto.js';
import { BudgetOverrides } from './budget-overrides.service.js';
import { BudgetParts } from './budget-parts.service.js';
import { BudgetListService } from './budget-list.service.js';
import { presentBudget } from './budget.presenter.js';
import { BudgetService } from './budget.service.js';

/** HTTP routes of budgets. */
@GovernanceController('v1/budgets', 'Budgets')
export class BudgetsController {
  constructor(
    private readonly budgets: BudgetService,
    private readonly lists: BudgetListService,
    private readonly parts: BudgetParts,
    private readonly overrides: BudgetOverrides,
    private readonly history: BudgetHistory,
  ) {}

  @Post()
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'createBudget',
    summary: 'Create a budget',
    description:
      'The current window starts with the spending so far. If it already reaches a threshold of the amount, ' +
      '`budget_warning` or `budget_exceeded` is sent at once. At most 10,000.',
  })
  @ApiCreatedResponse({ type: BudgetResponseDto, description: 'The budget. Decisions apply it at once.' })
  @Refuses(400, [409, new TooManyBudgetsError().message], 413, 415)
  async create(@CurrentActor() actor: Actor, @Body() body: CreateBudgetDto): Promise<BudgetResponseDto> {
    return presentBudget(await this.budgets.create(actor, draftOf(body)));
  }

  @Get()
  @Requires('budgets:read')
  @ApiOperation({ operationId: 'listBudgets', summary: 'List budgets with their current spending, newest first' })
  @ApiPage(BudgetResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: BudgetQueryDto): Promise<Page<BudgetResponseDto>> {
    return this.lists.list(actor.orgId, query, presentBudget);
  }

  @Get(':id')
  @Requires('budgets:read')
  @ApiOperation({ operationId: 'getBudget', summary: 'Get a budget with its current spending' })
  @ApiOkResponse({ type: BudgetResponseDto, description: 'The budget.' })
  @Refuses(404)
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<BudgetResponseDto> {
    return presentBudget(await this.budgets.get(actor.orgId, id));
  }

  @Patch(':id')
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'updateBudget',
    summary: 'Change the name, amount, enforcement or alert thresholds of a budget',
    description: 'The scope, the split and the period cannot be changed; create another budget instead.',
  })
  @ApiOkResponse({ type: BudgetResponseDto, description: 'The budget after the change. Decisions apply it at once.' })
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
    summary: 'List the parts of a split budget with their current spending',
    description: 'Lists parts that were used in the current window or have their own amount, ordered by name.',
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

  @Get(':id/history')
  @Requires('budgets:read')
  @ApiOperation({
    operationId: 'listBudgetHistory',
    summary: 'List the windows of a budget with their spending and alerts, the newest first',
    description:
      'The first one is the current window. Windows without usage are left out. A split budget has one entry per ' +
      'window and part.',
  })
  @ApiPage(BudgetWindowDto)
  @Refuses(400, 404)
  listHistory(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Query() query: BudgetPartQueryDto,
  ): Promise<Page<BudgetWindowDto>> {
    return this.history.list(actor.orgId, id, query, presentWindow);
  }

  @Put(':id/overrides')
  @Requires('budgets:write')
  @ApiOperation({
    operationId: 'updateBudgetOverride',
    summary: 'Set the amount of one part of a split budget',
    description: 'Applies from the current window on. With null, the part uses the amount of the budget again.',
  })
  @ApiOkResponse({
    type: BudgetPartResponseDto,
    description: 'The part with its current spending. Decisions apply the amount at once.',
  })
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
  @ApiOperation({ operationId: 'deleteBudget', summary: 'Delete a budget and its recorded spending' })
  @ApiNoContentResponse({ description: 'The budget is deleted. Decisions no longer apply it.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.budgets.delete(actor, id);
  }
}
