import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError, type SqlTransaction, UserDirectory } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { EventOutbox } from '#outbox';
import { applySpend, type BudgetAndWindow, type WindowChange } from '../spend/budget-alerts.js';
import { BUDGET_PERIODS, budgetWindow, type BudgetPeriod, type BudgetWindow } from '../windows/index.js';
import { moveWindows, type BudgetMove } from './budget-moves.sql.js';
import type { BudgetDraft } from './budget-rules.js';
import type { KnownBudget } from './budget-scope.js';
import { WindowUsage } from './window-usage.js';

/** How far ahead of the clock usage may be dated: some of it may lie in the next window already. */
const AHEAD_MS = 5 * 60_000;

const TIME_ZONE = `select time_zone from ${SCHEMA}.organizations where id = $1`;

/** The time zones of an organization before and after a change, and when it is made. */
export interface ZoneChange {
  readonly before: string;
  readonly after: string;
  readonly at: Date;
}

/** The windows of budgets, as they begin and as they are looked at again. */
@Injectable()
export class BudgetWindows {
  constructor(
    private readonly users: UserDirectory,
    private readonly outbox: EventOutbox,
  ) {}

  /** @throws BadRequestError where the budget is for a user whom the organization does not have */
  async requireSubject(orgId: string, { userId }: Pick<BudgetDraft, 'userId'>): Promise<void> {
    if (userId === null || userId === undefined) return;
    const [user] = await this.users.find(orgId, [{ user_id: userId }]);
    if (!user) throw BadRequestError.field('user_id', 'is not the id of a user of your organization');
  }

  /**
   * Opens the windows of a new budget with the usage that is in them already, and tells of what has been reached. The
   * caller holds the organization's usage turn.
   */
  async open(em: EntityManager, orgId: string, budget: KnownBudget, timeZone: string, at: Date): Promise<void> {
    const changes: WindowChange[] = [];
    for (const window of windowsAround(budget.period, timeZone, at)) {
      const spentPicodollars = await new WindowUsage(sqlOf(em), orgId, window, this.users, true).countedBy(budget);
      // The next window opens early only where there is something in it.
      if (changes.length > 0 && spentPicodollars === 0n) continue;
      changes.push({ budget, window, spentPicodollars, releasedPicodollars: 0n });
    }
    await applySpend(em, this.outbox, orgId, changes);
  }

  /** Tells of what a window has reached by the amount of its budget. */
  async reconsider(em: EntityManager, orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    const nothing = { spentPicodollars: 0n, releasedPicodollars: 0n };
    await applySpend(
      em,
      this.outbox,
      orgId,
      windows.map(window => ({ ...window, ...nothing })),
    );
  }

  /**
   * Opens the windows of another time zone for budgets, with the usage that is in them, and takes along what is held
   * for requests. People are told of what is reached there, unless they were told of the present window before. The
   * caller holds the organization's usage turn.
   */
  async move(em: EntityManager, orgId: string, budgets: readonly KnownBudget[], zones: ZoneChange): Promise<void> {
    const tx = sqlOf(em);
    const present: BudgetMove[] = [];
    const next: BudgetMove[] = [];
    for (const period of BUDGET_PERIODS) {
      const concerned = budgets.filter(budget => budget.period === period);
      const from = budgetWindow(period, zones.before, zones.at);
      const [to = from, after] = windowsAround(period, zones.after, zones.at);
      if (concerned.length === 0 || isSame(from, to)) continue;
      present.push(...(await this.movesTo(tx, orgId, concerned, from, to)));
      if (after) next.push(...(await this.movesTo(tx, orgId, concerned, after, after)));
    }
    if (present.length === 0) return;
    await moveWindows(tx, orgId, present, next);
    await this.reconsider(
      em,
      orgId,
      [...present, ...next.filter(({ spent }) => spent > 0n)].map(({ budget, to }) => ({ budget, window: to })),
    );
  }

  private async movesTo(
    tx: SqlTransaction,
    orgId: string,
    budgets: readonly KnownBudget[],
    from: BudgetWindow,
    to: BudgetWindow,
  ): Promise<BudgetMove[]> {
    const usage = new WindowUsage(tx, orgId, to, this.users, budgets.length === 1);
    const moves: BudgetMove[] = [];
    for (const budget of budgets) moves.push({ budget, from, to, spent: await usage.countedBy(budget) });
    return moves;
  }
}

/** The present window, and the next one where usage may be dated in it already. */
function windowsAround(period: BudgetPeriod, timeZone: string, at: Date): BudgetWindow[] {
  const present = budgetWindow(period, timeZone, at);
  const soon = new Date(at.getTime() + AHEAD_MS);
  return soon < present.end ? [present] : [present, budgetWindow(period, timeZone, soon)];
}

/** The organization's time zone as the transaction sees it. */
export async function timeZoneOf(tx: SqlTransaction, orgId: string): Promise<string> {
  const [row] = await tx.query<{ time_zone: string }>(TIME_ZONE, [orgId]);
  return row?.time_zone ?? 'UTC';
}

function isSame(one: BudgetWindow, other: BudgetWindow): boolean {
  return one.start.getTime() === other.start.getTime() && one.end.getTime() === other.end.getTime();
}
