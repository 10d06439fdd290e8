import { Injectable } from '@nestjs/common';
import { SpendGuard, type SpendRequest, type SpendVerdict, type SqlTransaction } from '#core';
import { OrganizationBudgets } from '../budgets/organization-budgets.js';
import { Advances } from './advances.js';
import { BudgetGuard } from './budget-guard.js';
import { SpendEstimates } from './spend-estimates.js';

/**
 * Reserves from this process's advances if this process also ends the request. All other requests are reserved in the
 * budgets directly.
 */
@Injectable()
export class AdvanceFirstGuard extends SpendGuard {
  constructor(
    private readonly guard: BudgetGuard,
    private readonly budgets: OrganizationBudgets,
    private readonly estimates: SpendEstimates,
    private readonly advances: Advances,
  ) {
    super();
  }

  reserve(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined {
    const drawn = request.endsHere ? this.draw(orgId, request) : undefined;
    return drawn ? Promise.resolve(drawn) : this.guard.reserve(orgId, request);
  }

  override reserveWithin(tx: SqlTransaction, orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> {
    return this.guard.reserveWithin(tx, orgId, request);
  }

  async release(orgId: string, decisionId: string): Promise<bigint> {
    return (await this.advances.giveBack(orgId, decisionId)) ?? this.guard.release(orgId, decisionId);
  }

  override releaseWithin(tx: SqlTransaction, orgId: string, decisionId: string): Promise<bigint> {
    return this.guard.releaseWithin(tx, orgId, decisionId);
  }

  override async extend(orgId: string, decisionId: string): Promise<Date | undefined> {
    await this.advances.store(orgId, [decisionId]);
    return this.guard.extend(orgId, decisionId);
  }

  override store(orgId: string, decisionIds: readonly string[]): Promise<void> {
    return this.advances.store(orgId, decisionIds);
  }

  override beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.guard.beforeRefusal(settle);
  }

  /** Reserves from an advance. Undefined if no advance can be used, or if no blocking budget applies to the request. */
  private draw(orgId: string, request: SpendRequest): SpendVerdict | undefined {
    const set = this.budgets.peek(orgId);
    const blocking = set?.blocking.matching(request);
    if (!set || !blocking || blocking.length === 0) return undefined;
    const picodollars = this.estimates.peek(orgId, request);
    if (picodollars === undefined) return undefined;
    const expiresAt = this.advances.draw(orgId, set, blocking, { request, picodollars });
    return expiresAt && { allowed: true, reservation: { id: request.decisionId, picodollars, expiresAt } };
  }
}
