import { Injectable } from '@nestjs/common';
import { GovernanceError, SpendGuard, UnavailableError, type SpendRequest, type SpendVerdict } from '#core';
import type { SqlTransaction } from '#core';
import { emOf, isOutage, OrgDatabase, plainArray, SCHEMA, retryingConflicts } from '#database';
import { OrganizationBudgets } from '../budgets/organization-budgets.js';
import { lockUsage } from '../usage-lock.js';
import { usdToPico } from '../prices/index.js';
import { RefusalAlerts } from './refusal-alerts.js';
import type { AskOutcome } from './reservation-answer.js';
import { ReservationBatcher } from './reservation-batcher.js';
import type { SpendAsk } from './reservation-plan.js';
import { SpendEstimates } from './spend-estimates.js';

const RELEASE = `select amount_usd::text from ${SCHEMA}.release_reservations($1, $2::uuid[])`;

const EXTEND = `select ${SCHEMA}.extend_reservation($1, $2, $3::interval) as expires_ms`;

const AWAY =
  'Budgets cannot be checked at present, so requests under a blocking budget are refused; try again shortly.';

/** Enforces blocking budgets: reserves the maximum cost of a request before the request is allowed. */
@Injectable()
export class BudgetGuard extends SpendGuard {
  constructor(
    private readonly database: OrgDatabase,
    private readonly budgets: OrganizationBudgets,
    private readonly estimates: SpendEstimates,
    private readonly batcher: ReservationBatcher,
    private readonly refusals: RefusalAlerts,
  ) {
    super();
  }

  reserve(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined {
    const known = this.budgets.peek(orgId);
    if (known && known.blocking.matching(request).length === 0) return undefined;
    // If the answer is in memory, it is returned without a turn of the event loop. At tens of thousands of requests a
    // second, that matters.
    const picodollars = known && this.estimates.peek(orgId, request);
    if (picodollars === undefined) return this.ask(orgId, request).catch(refuse);
    return this.hold(orgId, { request, picodollars });
  }

  /**
   * Reserves for a request in a running transaction. Budgets stay locked until the transaction ends: other usage of the
   * organization, and other requests for the same budgets, wait.
   * @throws Error if the transaction cannot commit an alert, because `sqlOf` did not create the transaction
   */
  async reserveWithin(tx: SqlTransaction, orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> {
    const em = emOf(tx);
    // Takes the usage lock before it locks a budget, in the same order as the transactions that count usage.
    await lockUsage(tx, orgId);
    const known = await this.budgets.within(tx, orgId);
    if (known.blocking.matching(request).length === 0) return undefined;
    const picodollars = await this.estimates.of(orgId, request);
    const outcome = await this.batcher.reserveWithin(tx, orgId, { request, picodollars }, known);
    if (outcome.state === 'refused' && outcome.unreported.length > 0) {
      await this.refusals.tellWithin(em, orgId, outcome.unreported);
    }
    return verdictOf({ request, picodollars }, outcome);
  }

  async release(orgId: string, decisionId: string): Promise<bigint> {
    const parameters = [orgId, plainArray([decisionId], id => id)];
    const rows = await retryingConflicts(() => this.database.global<{ amount_usd: string }>(RELEASE, parameters)).catch(
      refuse,
    );
    return usdToPico(rows[0]?.amount_usd ?? 0) ?? 0n;
  }

  override async releaseWithin(tx: SqlTransaction, orgId: string, decisionId: string): Promise<bigint> {
    const [row] = await tx.query<{ amount_usd: string }>(RELEASE, [orgId, plainArray([decisionId], id => id)]);
    return usdToPico(row?.amount_usd ?? 0) ?? 0n;
  }

  override async extend(orgId: string, decisionId: string): Promise<Date | undefined> {
    const parameters = [orgId, decisionId, `${this.batcher.minutes} minutes`];
    const extending = retryingConflicts(() => this.database.global<{ expires_ms: string | null }>(EXTEND, parameters));
    const [row] = await extending.catch(refuse);
    return row?.expires_ms ? new Date(Number(row.expires_ms)) : undefined;
  }

  override beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.batcher.beforeRefusal(settle);
  }

  private async ask(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> {
    const known = this.budgets.peek(orgId) ?? (await this.budgets.of(orgId));
    if (known.blocking.matching(request).length === 0) return undefined;
    const picodollars = await this.estimates.of(orgId, request);
    return this.hold(orgId, { request, picodollars });
  }

  private hold(orgId: string, ask: SpendAsk): Promise<SpendVerdict | undefined> {
    return this.batcher.reserve(orgId, ask).then(outcome => {
      const verdict = verdictOf(ask, outcome);
      if (outcome.state !== 'refused' || outcome.unreported.length === 0) return verdict;
      return this.refusals.tell(orgId, outcome.unreported).then(() => verdict);
    }, refuse);
  }
}

function verdictOf({ request, picodollars }: SpendAsk, outcome: AskOutcome): SpendVerdict | undefined {
  if (outcome.state === 'free') return undefined;
  if (outcome.state === 'refused') return { allowed: false, budgets: outcome.budgets };
  return { allowed: true, reservation: { id: request.decisionId, picodollars, expiresAt: outcome.expiresAt } };
}

function refuse(error: unknown): never {
  if (error instanceof GovernanceError || !isOutage(error)) throw error;
  throw new UnavailableError(AWAY);
}
