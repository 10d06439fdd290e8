import { Inject, Injectable } from '@nestjs/common';
import { BufferRoom, UnavailableError, type SqlTransaction } from '#core';
import { GroupCommit, OrgDatabase, prepared } from '#database';
import { OrganizationBudgets, type BudgetSet } from '../budgets/organization-budgets.js';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import { FREE, type AskOutcome } from './reservation-answer.js';
import { RESERVE, RESERVE_MANY, type SpendAsk } from './reservation-plan.js';
import { reserveTogether } from './reserve-together.js';

const TOO_MANY = 'Too many requests are waiting for their budgets; try again shortly.';

// A reservation survives a crash of this process without waiting for the disk. A crash of the database within the next
// second can lose it. The call still counts when it is settled, but its money was not reserved.
const ALONE = ", set_config('synchronous_commit', 'off', true)";
const RESERVE_ALONE = prepared('reserve_spend', RESERVE + ALONE);
const RESERVE_MANY_ALONE = prepared('reserve_many_windows', RESERVE_MANY + ALONE);

/** Maximum number of requests of one organization in one statement. */
const MAX_TOGETHER = 1_000;
/** Concurrent statements of one organization. More would only wait for each other's row locks. */
const WRITERS = 1;
/**
 * Maximum number of waiting requests in this process, over all organizations; some tenths of a second of work. One
 * organization may use half.
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
  /** Organizations whose last batch had a refusal. */
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
   * Returns the outcome after the commit. Rejects if the outcome is unknown; a reservation that was made anyway
   * expires.
   * @throws UnavailableError if the queue is full for the organization: with the room that the others leave, 25,000 at
   * most
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

  /** Registers a task that makes room before a request is refused. It returns whether it did. */
  beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.settlers.push(settle);
  }

  /** Reserves for one request at once, in a running transaction that holds the organization's usage lock. */
  async reserveWithin(tx: SqlTransaction, orgId: string, ask: SpendAsk, known: BudgetSet): Promise<AskOutcome> {
    const place = {
      orgId,
      query: tx.query.bind(tx),
      minutes: this.minutes,
      known,
      refreshed: () => this.budgets.within(tx, orgId),
      // Budgets that the function would lock afterwards could be out of lock order.
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
