import { Inject, Injectable } from '@nestjs/common';
import { BufferRoom, UnavailableError, type SqlTransaction } from '#core';
import { GroupCommit, OrgDatabase, prepared } from '#database';
import { OrganizationBudgets, type BudgetSet } from '../budgets/organization-budgets.js';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import { FREE, type AskOutcome } from './reservation-answer.js';
import { RESERVE, type SpendAsk } from './reservation-plan.js';
import { reserveTogether } from './reserve-together.js';

const TOO_MANY = 'More requests wait for their budgets than can be answered in time; try again shortly.';

// A reservation outlives the process that asked for it, without a wait for the disk. Only a crash of the database within
// the next second can lose it: then its call counts when it is settled, but its money was not held meanwhile.
const RESERVE_ALONE = prepared('reserve_spend', `${RESERVE}, set_config('synchronous_commit', 'off', true)`);

/** Requests of one organization that are reserved in one statement. */
const MAX_TOGETHER = 1_000;
/** Statements of one organization at a time: they would only wait for each other at the same rows. */
const WRITERS = 1;
/** Requests in this process that wait for their turn, of all organizations: some tenths of a second. One may have half. */
const MAX_WAITING = 50_000;

/**
 * Reserves money for requests. Those of one organization that come while a statement is under way share the next one:
 * one round trip and one commit for all of them.
 */
@Injectable()
export class ReservationBatcher {
  /** The term of a reservation. */
  readonly minutes: number;
  private readonly group: GroupCommit<SpendAsk, AskOutcome>;
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
   * What became of a request, after the commit. Rejects where it cannot be known; if something was reserved all the
   * same, it expires.
   * @throws UnavailableError where as many requests of the organization wait as the others leave room for, 25,000 at most
   */
  async reserve(orgId: string, ask: SpendAsk): Promise<AskOutcome> {
    const outcome = await this.group.add(orgId, ask);
    if (outcome.state !== 'refused' || this.settlers.length === 0) return outcome;
    const settled = await Promise.all(this.settlers.map(settle => settle(orgId)));
    return settled.includes(true) ? this.group.add(orgId, ask) : outcome;
  }

  /** Registers work that counts usage which has ended, before a request is refused. */
  beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.settlers.push(settle);
  }

  /** The same at once, in a running transaction of the organization that has taken its usage turn. */
  async reserveWithin(tx: SqlTransaction, orgId: string, ask: SpendAsk, known: BudgetSet): Promise<AskOutcome> {
    const place = {
      orgId,
      query: tx.query.bind(tx),
      minutes: this.minutes,
      known,
      refreshed: () => this.budgets.within(tx, orgId),
      // Budgets that it would lock afterwards might be out of order.
      sweepsFirst: true,
    };
    return (await reserveTogether(place, [ask]))[0] ?? FREE;
  }

  private async together(orgId: string, asks: readonly SpendAsk[]): Promise<AskOutcome[]> {
    const place = {
      orgId,
      query: <Row extends object>(_sql: string, parameters?: readonly unknown[]): Promise<Row[]> =>
        this.database.global<Row>(RESERVE_ALONE, parameters),
      minutes: this.minutes,
      known: this.budgets.peek(orgId) ?? (await this.budgets.of(orgId)),
      refreshed: () => this.budgets.refreshed(orgId),
      sweepsFirst: false,
    };
    return reserveTogether(place, asks);
  }
}
