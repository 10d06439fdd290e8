import { Inject, Injectable } from '@nestjs/common';
import { BufferRoom, UnavailableError, type SqlTransaction } from '#core';
import { GroupCommit, OrgDatabase, prepared } from '#database';
import { OrganizationBudgets, type BudgetSet } from '../budgets/organization-budgets.js';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import { FREE, type AskOutcome } from './reservation-answer.js';
import { RESERVE, RESERVE_MANY, type SpendAsk } from './reservation-plan.js';
import { reserveTogether } from './reserve-together.js';

const TOO_MANY = 'Too many requests are waiting for their budgets; try again shortly.';

// The statement does not wait for the disk. A reservation survives a crash of this process, but a crash of the database
// within the next second can lose it. The usage of the call still counts when it is reported, but its money was not
// reserved.
const ALONE = ", set_config('synchronous_commit', 'off', true)";
const RESERVE_ALONE = prepared('reserve_spend', RESERVE + ALONE);
const RESERVE_MANY_ALONE = prepared('reserve_many_windows', RESERVE_MANY + ALONE);

/** Maximum number of requests of one organization in one statement. */
const MAX_TOGETHER = 1_000;
/** Concurrent statements of one organization. More statements would only wait for each other's row locks. */
const WRITERS = 1;
/**
 * Maximum number of waiting requests in this process, over all organizations: some tenths of a second of work. One
 * organization may use half of them.
 */
const MAX_WAITING = 50_000;

/**
 * Reserves money for requests in batches. Requests of one organization that arrive during a statement share the next
 * one, with one round trip and one commit.
 */
@Injectable()
export class ReservationBatcher {
  /** Minutes until a reservation expires. */
  readonly minutes: number;
  private readonly group: GroupCommit<SpendAsk, AskOutcome>;
  /** Organizations whose last batch contained a refused request. */
  private readonly refusing = new Set<string>();
  private readonly settlers: ((orgId: string) => Promise<boolean>)[] = [];

  constructor(
    private readonly database: OrgDatabase,
    private readonly budgets: OrganizationBudgets,
    @Inject(BUDGET_OPTIONS) options: BudgetOptions,
  ) {
    this.minutes = budgetOption(options, 'reservationMinutes');
    this.group = new GroupCommit({
      commit: (orgId, asks) => this.together(orgId, asks),
      maxWeight: MAX_TOGETHER,
      concurrency: WRITERS,
      gathers: true,
      room: { buffer: new BufferRoom(MAX_WAITING, MAX_TOGETHER), full: () => new UnavailableError(TOO_MANY) },
    });
    database.beforeClose(() => this.group.close());
  }

  /**
   * Returns the outcome after the commit. Rejects if the outcome is unknown: the reservation may have been made, and
   * then expires.
   * @throws UnavailableError if the queue has no room for the organization, which may use as many places as remain
   * free, at most 25,000
   */
  async reserve(orgId: string, ask: SpendAsk): Promise<AskOutcome> {
    const outcome = await this.tryReserve(orgId, ask);
    if (outcome.state !== 'refused' || this.settlers.length === 0) return outcome;
    const settled = await Promise.all(this.settlers.map(settle => settle(orgId)));
    return settled.includes(true) ? this.group.add(orgId, ask) : outcome;
  }

  /** Reserves without the tasks of {@link beforeRefusal}. */
  tryReserve(orgId: string, ask: SpendAsk): Promise<AskOutcome> {
    return this.group.add(orgId, ask);
  }

  /**
   * Registers a task that is run before a request is refused. The task tries to release reserved money, and returns
   * whether it released any.
   */
  beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.settlers.push(settle);
  }

  /**
   * Reserves for a single request without batching, in a running transaction that holds the organization's usage lock.
   */
  async reserveWithin(tx: SqlTransaction, orgId: string, ask: SpendAsk, known: BudgetSet): Promise<AskOutcome> {
    const place = {
      orgId,
      query: tx.query.bind(tx),
      minutes: this.minutes,
      known,
      refreshed: () => this.budgets.within(tx, orgId),
      // Expired reservations are released first: releasing them later would lock further budgets out of order.
      sweepsFirst: true,
      isRoomLikely: false,
    };
    return (await reserveTogether(place, [ask]))[0] ?? FREE;
  }

  private async together(orgId: string, asks: readonly SpendAsk[]): Promise<AskOutcome[]> {
    const place = {
      orgId,
      query: <Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> =>
        this.database.global<Row>(sql === RESERVE_MANY ? RESERVE_MANY_ALONE : RESERVE_ALONE, parameters),
      minutes: this.minutes,
      known: this.budgets.peek(orgId) ?? (await this.budgets.of(orgId)),
      refreshed: () => this.budgets.refreshed(orgId),
      sweepsFirst: false,
      isRoomLikely: !this.refusing.has(orgId),
    };
    const outcomes = await reserveTogether(place, asks);
    if (outcomes.some(({ state }) => state === 'refused')) this.refusing.add(orgId);
    else this.refusing.delete(orgId);
    return outcomes;
  }
}
