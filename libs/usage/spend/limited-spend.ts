import { Injectable } from '@nestjs/common';
import { Clock, SpendGuard, type SpendRequest, type SpendVerdict, type SqlTransaction } from '#core';
import { AdvanceFirstGuard } from './advance-first-guard.js';
import { LimitGuard } from '../limits/limit-guard.js';
import type { LimitRefusal } from '../limits/limit-refusal.js';
import { OpenRequests } from '../limits/open-requests.js';

/**
 * Checks limits before budgets. If a budget refuses a request, the request still counts in the limits of requests and
 * tokens. It does not hold a slot in limits of concurrent requests.
 */
@Injectable()
export class LimitedSpend extends SpendGuard {
  constructor(
    private readonly budgets: AdvanceFirstGuard,
    private readonly limits: LimitGuard,
    private readonly open: OpenRequests,
    private readonly clock: Clock,
  ) {
    super();
  }

  reserve(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined {
    const refusal = this.limits.take(orgId, request);
    if (refusal === undefined) return this.inBudgets(orgId, request);
    return this.afterLimits(orgId, request, refusal);
  }

  override async reserveWithin(
    tx: SqlTransaction,
    orgId: string,
    request: SpendRequest,
  ): Promise<SpendVerdict | undefined> {
    const refusal = await this.limits.take(orgId, request);
    if (refusal) return verdictOf(refusal);
    return this.orPutBack(orgId, request, this.budgets.reserveWithin(tx, orgId, request));
  }

  release(orgId: string, decisionId: string): Promise<bigint> {
    this.limits.ended(orgId, [decisionId]);
    return this.budgets.release(orgId, decisionId);
  }

  override releaseWithin(tx: SqlTransaction, orgId: string, decisionId: string): Promise<bigint> {
    this.limits.ended(orgId, [decisionId]);
    return this.budgets.releaseWithin(tx, orgId, decisionId);
  }

  override store(orgId: string, decisionIds: readonly string[]): Promise<void> {
    return this.budgets.store(orgId, decisionIds);
  }

  override beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.budgets.beforeRefusal(settle);
  }

  override extend(orgId: string, decisionId: string): Promise<Date | undefined> {
    this.open.extend(orgId, decisionId, this.clock.now().getTime());
    return this.budgets.extend(orgId, decisionId);
  }

  private async afterLimits(
    orgId: string,
    request: SpendRequest,
    asked: Promise<LimitRefusal | undefined> | LimitRefusal,
  ): Promise<SpendVerdict | undefined> {
    const refusal = await asked;
    return refusal ? verdictOf(refusal) : this.inBudgets(orgId, request);
  }

  private inBudgets(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined {
    const asked = this.budgets.reserve(orgId, request);
    return asked && this.orPutBack(orgId, request, asked);
  }

  private async orPutBack(
    orgId: string,
    { decisionId }: SpendRequest,
    asked: Promise<SpendVerdict | undefined>,
  ): Promise<SpendVerdict | undefined> {
    let isMade = false;
    try {
      const verdict = await asked;
      isMade = verdict?.allowed ?? true;
      return verdict;
    } finally {
      if (!isMade) this.limits.putBack(orgId, decisionId);
    }
  }
}

function verdictOf({ limits, retryAfterMs }: LimitRefusal): SpendVerdict {
  return { allowed: false, budgets: [], limits, retryAfterMs };
}
