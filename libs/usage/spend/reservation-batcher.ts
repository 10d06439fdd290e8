import { Inject, Injectable } from '@nestjs/common';
import { BufferRoom, UnavailableError, type SqlTransaction } from '#core';
import { isDataFault, OrgDatabase, prepared, retryingConflicts } from '#database';
import { OrganizationBudgets, type BudgetSet } from '../budgets/organization-budgets.js';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import type { AskOutcome } from './reservation-answer.js';
import { RESERVE, type SpendAsk } from './reservation-plan.js';
import { reserveTogether } from './reserve-together.js';

interface Job extends SpendAsk {
  resolve(outcome: AskOutcome): void;
  reject(error: unknown): void;
}

interface Queue {
  waiting: Job[];
  running: number;
  isStarting: boolean;
}

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
 * one round trip and one commit for all of them. Nobody waits for company.
 */
@Injectable()
export class ReservationBatcher {
  private readonly queues = new Map<string, Queue>();
  /** The term of a reservation. */
  readonly minutes: number;
  /** An organization that asks too fast leaves room for the others. */
  private readonly room = new BufferRoom(MAX_WAITING, MAX_TOGETHER);
  private readonly settlers: ((orgId: string) => Promise<boolean>)[] = [];

  constructor(
    private readonly database: OrgDatabase,
    private readonly budgets: OrganizationBudgets,
    @Inject(BUDGET_OPTIONS) options: BudgetOptions,
  ) {
    this.minutes = budgetOption(options, 'reservationMinutes');
  }

  /**
   * What became of a request, after the commit. Rejects where it cannot be known; if something was reserved all the
   * same, it expires.
   * @throws UnavailableError where as many requests of the organization wait as the others leave room for, 25,000 at most
   */
  async reserve(orgId: string, ask: SpendAsk): Promise<AskOutcome> {
    const outcome = await this.enqueue(orgId, ask);
    if (outcome.state !== 'refused' || this.settlers.length === 0) return outcome;
    const settled = await Promise.all(this.settlers.map(settle => settle(orgId)));
    return settled.includes(true) ? this.enqueue(orgId, ask) : outcome;
  }

  /** Registers work that counts usage which has ended, before a request is refused. */
  beforeRefusal(settle: (orgId: string) => Promise<boolean>): void {
    this.settlers.push(settle);
  }

  private enqueue(orgId: string, { request, picodollars }: SpendAsk): Promise<AskOutcome> {
    if (!this.room.isFree(orgId)) return Promise.reject(new UnavailableError(TOO_MANY));
    this.room.take(orgId, 1);
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(orgId) ?? { waiting: [], running: 0, isStarting: false };
      if (queue.waiting.push({ request, picodollars, resolve, reject }) === 1) this.queues.set(orgId, queue);
      this.start(orgId, queue);
    });
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
    return (await reserveTogether(place, [ask])).get(ask) ?? { state: 'free' };
  }

  /** Whoever asks in the same turn of the event loop comes along. */
  private start(orgId: string, queue: Queue): void {
    if (queue.isStarting || queue.running === WRITERS) return;
    queue.isStarting = true;
    setImmediate(() => {
      queue.isStarting = false;
      void this.run(orgId, queue);
    });
  }

  private async run(orgId: string, queue: Queue): Promise<void> {
    const jobs = queue.waiting.splice(0, MAX_TOGETHER);
    queue.running++;
    await this.settle(orgId, jobs);
    queue.running--;
    this.room.give(orgId, jobs.length);
    if (queue.waiting.length > 0) this.start(orgId, queue);
    else if (queue.running === 0) this.queues.delete(orgId);
  }

  /** Never rejects: each job hears of its own failure. */
  private async settle(orgId: string, jobs: readonly Job[]): Promise<void> {
    try {
      const outcomes = await this.together(orgId, jobs);
      for (const [job, outcome] of outcomes) job.resolve(outcome);
    } catch (error) {
      // What cannot be stored of one must not fail the others; then nothing is reserved yet.
      if (jobs.length > 1 && isDataFault(error)) for (const job of jobs) await this.settle(orgId, [job]);
      else for (const job of jobs) job.reject(error);
    }
  }

  private async together(orgId: string, jobs: readonly Job[]): Promise<Map<Job, AskOutcome>> {
    const place = {
      orgId,
      query: <Row extends object>(_sql: string, parameters?: readonly unknown[]): Promise<Row[]> =>
        retryingConflicts(() => this.database.global<Row>(RESERVE_ALONE, parameters)),
      minutes: this.minutes,
      known: this.budgets.peek(orgId) ?? (await this.budgets.of(orgId)),
      refreshed: () => this.budgets.refreshed(orgId),
      sweepsFirst: false,
    };
    return reserveTogether(place, jobs);
  }
}
