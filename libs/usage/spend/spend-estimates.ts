import { Inject, Injectable } from '@nestjs/common';
import type { PricingCatalog, SpendRequest } from '#core';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import { highestCost } from './estimate.js';

/** Estimates the maximum cost of requests by the organization's prices. */
@Injectable()
export class SpendEstimates {
  private readonly assumedInputTokens: number;
  private readonly assumedOutputTokens: number;

  constructor(
    private readonly prices: OrganizationPrices,
    @Inject(BUDGET_OPTIONS) options: BudgetOptions,
  ) {
    this.assumedInputTokens = budgetOption(options, 'assumedInputTokens');
    this.assumedOutputTokens = budgetOption(options, 'assumedOutputTokens');
  }

  /** The maximum cost in picodollars. Undefined if the prices are not in memory. */
  peek(orgId: string, request: SpendRequest): bigint | undefined {
    const catalog = this.prices.peek(orgId);
    return catalog && this.estimate(catalog, request);
  }

  /** The maximum cost in picodollars. Rejects if the prices are not in memory and the database cannot be reached. */
  async of(orgId: string, request: SpendRequest): Promise<bigint> {
    return this.estimate(await this.prices.of(orgId), request);
  }

  private estimate(
    catalog: PricingCatalog,
    { provider, model, at, serviceTier, region, ...tokens }: SpendRequest,
  ): bigint {
    return highestCost(catalog, {
      provider,
      model,
      at,
      serviceTier,
      region,
      inputTokens: tokens.inputTokens ?? this.assumedInputTokens,
      outputTokens: tokens.outputTokens ?? this.assumedOutputTokens,
    });
  }
}
