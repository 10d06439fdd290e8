import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { EventOutbox } from '#outbox';
import { applySpend, type BudgetAndWindow, type WindowChange } from './budget-alerts.js';
import { KnownSubjects, NO_PART, type ScopeSplit } from '../scopes/index.js';
import { BUDGET_PERIODS, windowIn, type BudgetPeriod, type BudgetWindow, type OrgCalendar } from '../windows/index.js';
import { moveWindows, type BudgetMove } from './budget-moves.sql.js';
import type { BudgetDraft } from './budget-rules.js';
import type { KnownBudget } from './budget-scope.js';
import { WindowUsage } from './window-usage.js';

/**
 * Maximum time by which the timestamp of usage may lie in the future. Such usage can already belong to the next window.
 */
const AHEAD_MS = 5 * 60_000;

const CALENDAR = `select time_zone, fiscal_year_first_month as first_month from ${SCHEMA}.organizations where id = $1`;

/** Parts of a split budget whose spending has reached the lowest threshold of their amount. */
const NEAR_PARTS = `
select w.part from ${SCHEMA}.budget_windows w join ${SCHEMA}.budgets b on b.org_id = w.org_id and b.id = w.budget_id
left join ${SCHEMA}.budget_overrides o on o.org_id = w.org_id and o.budget_id = w.budget_id and o.part = w.part
where w.org_id = $1 and w.budget_id = $2 and w.window_start = $3
  and w.spent_usd >= coalesce(o.amount_usd, b.amount_usd) * coalesce(b.alerts[1], 0.8)`;

/** The calendars of an organization before and after a change, and the time of the change. */
export interface CalendarChange {
  readonly before: OrgCalendar;
  readonly after: OrgCalendar;
  readonly at: Date;
}

/** Opens budget windows, and checks their alerts after a change. */
@Injectable()
export class BudgetWindows {
  constructor(
    private readonly subjects: KnownSubjects,
    private readonly outbox: EventOutbox,
  ) {}

  /** @throws BadRequestError if the budget's user or token does not belong to the organization */
  async requireSubject(orgId: string, draft: Pick<BudgetDraft, 'userId' | 'match'>): Promise<void> {
    await this.subjects.requireScope(orgId, draft);
  }

  /** @throws BadRequestError if the user or token of a part does not belong to the organization */
  async requirePart(orgId: string, split: ScopeSplit | null, part: string): Promise<void> {
    await this.subjects.requirePart(orgId, split, part);
  }

  /**
   * Opens the windows of a new budget with the usage so far, and sends alerts for reached thresholds. The caller holds
   * the organization's usage lock.
   */
  async open(em: EntityManager, orgId: string, budget: KnownBudget, calendar: OrgCalendar, at: Date): Promise<void> {
    const changes: WindowChange[] = [];
    for (const window of windowsAround(budget.period, calendar, at)) {
      const usage = new WindowUsage(sqlOf(em), orgId, window, true);
      for (const [part, spentPicodollars] of await usage.countedBy(budget)) {
        // Opens the next window early only if it already contains usage.
        if ((changes.length > 0 || budget.splitBy) && spentPicodollars === 0n) continue;
        changes.push({ budget, window, part, spentPicodollars, releasedPicodollars: 0n });
      }
    }
    await applySpend(em, this.outbox, orgId, changes);
  }

  /** Sends alerts for the thresholds that parts of a window have reached. */
  async reconsiderParts(em: EntityManager, orgId: string, budget: KnownBudget, window: BudgetWindow): Promise<void> {
    if (!budget.splitBy) return this.reconsider(em, orgId, [{ budget, window, part: NO_PART }]);
    const rows = await sqlOf(em).query<{ part: string }>(NEAR_PARTS, [orgId, budget.id, window.start.toISOString()]);
    await this.reconsider(
      em,
      orgId,
      rows.map(({ part }) => ({ budget, window, part })),
    );
  }

  /** Sends alerts for the thresholds that windows have reached. */
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
   * Opens the windows of another calendar with the usage so far, and moves reservations into them. Sends alerts for
   * reached thresholds, unless they were sent for the current window before. The caller holds the organization's usage
   * lock.
   */
  async move(em: EntityManager, orgId: string, budgets: readonly KnownBudget[], zones: CalendarChange): Promise<void> {
    const tx = sqlOf(em);
    const present: BudgetMove[] = [];
    const next: BudgetMove[] = [];
    for (const period of BUDGET_PERIODS) {
      const concerned = budgets.filter(budget => budget.period === period);
      const from = windowIn(zones.before, period, zones.at);
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
      [...present.filter(isCounted), ...next.filter(({ spent }) => (spent ?? 0n) > 0n)].map(({ budget, to }) => ({
        budget,
        window: to,
        part: NO_PART,
      })),
    );
  }

  private async movesTo(
    tx: SqlTransaction,
    orgId: string,
    budgets: readonly KnownBudget[],
    from: BudgetWindow,
    to: BudgetWindow,
  ): Promise<BudgetMove[]> {
    const usage = new WindowUsage(tx, orgId, to, budgets.length === 1);
    const moves: BudgetMove[] = [];
    for (const budget of budgets) {
      // A split budget has too many parts to sum the usage of each part again. Therefore, the recorded spending moves
      // to the new window.
      const spent = budget.splitBy ? undefined : (await usage.countedBy(budget)).get(NO_PART);
      moves.push({ budget, from, to, spent: spent ?? null });
    }
    return moves;
  }
}

function isCounted({ spent }: BudgetMove): boolean {
  return spent !== null;
}

/** The current window, and the next one if usage can already belong to it. */
function windowsAround(period: BudgetPeriod, calendar: OrgCalendar, at: Date): BudgetWindow[] {
  const present = windowIn(calendar, period, at);
  const soon = new Date(at.getTime() + AHEAD_MS);
  return soon < present.end ? [present] : [present, windowIn(calendar, period, soon)];
}

/** The time zone of the organization, as the current transaction sees it. */
export async function timeZoneOf(tx: SqlTransaction, orgId: string): Promise<string> {
  return (await calendarOf(tx, orgId)).timeZone;
}

/** The calendar of the organization, as the current transaction sees it. */
export async function calendarOf(tx: SqlTransaction, orgId: string): Promise<OrgCalendar> {
  const [row] = await tx.query<{ time_zone: string; first_month: number }>(CALENDAR, [orgId]);
  return { timeZone: row?.time_zone ?? 'UTC', firstMonth: row?.first_month ?? 1 };
}

function isSame(one: BudgetWindow, other: BudgetWindow): boolean {
  return one.start.getTime() === other.start.getTime() && one.end.getTime() === other.end.getTime();
}
