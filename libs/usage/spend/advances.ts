import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, messageOf, newId } from '#core';
import { isOutage, OrgDatabase, plainArray, prepared, retryingConflicts, SCHEMA, textArray } from '#database';
import { type BudgetSet, OrganizationBudgets } from '../budgets/organization-budgets.js';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { usdToPico } from '../prices/index.js';
import { Advance, ADVANCE_LIFE_MS } from './advance.js';
import { AdvanceDemand } from './advance-demand.js';
import { ReservationBatcher } from './reservation-batcher.js';
import { aboutOf, type SpendAsk } from './reservation-plan.js';

/** Milliseconds after a refused advance in which no other advance is made for the same windows. */
const PAUSE_MS = 10_000;
const RETRY_MS = 1_000;
/** Maximum number of windows whose demand is tracked, over all organizations. */
const LINES = 10_000;

// Like other reservations, the statement does not wait for the disk. A crash of this process does not lose the advance.
const DIVIDE = prepared(
  'divide_reservation',
  `select ${SCHEMA}.divide_reservation($1, $2, $3, $4::uuid[], $5::numeric[], $6::text[], $7::text[], $8::text[], $9::text[]),
    set_config('synchronous_commit', 'off', true)`,
);

/** The state of all requests that need the same windows. */
interface Line {
  readonly demand: AdvanceDemand;
  active: Advance | undefined;
  isTaking: boolean;
  pausedUntil: number;
}

/**
 * Reserves amounts in advance while this process makes many calls under the same budgets, so that a call does not wait
 * for the database. Each advance is open for at most a second. Then its withdrawals get separate rows, and the rest is
 * released. A process therefore reserves at most a two-hundredth of a budget for future calls, and only for about a
 * second.
 */
@Injectable()
export class Advances {
  private readonly logger = new Logger('Governance');
  private readonly lines = new LRUCache<string, Line>(boundedBy(LINES));
  /** Advances whose reservation has a row in the database, with the timers that close them. */
  private readonly held = new Map<Advance, NodeJS.Timeout>();
  private readonly drawn = new Map<string, Advance>();
  private readonly taking = new Set<Promise<void>>();
  private isClosing = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly budgets: OrganizationBudgets,
    private readonly batcher: ReservationBatcher,
  ) {
    batcher.beforeRefusal(orgId => this.closeAll(orgId));
    database.beforeClose(async () => {
      this.isClosing = true;
      await Promise.all(this.taking);
      await this.closeAll();
    });
  }

  /**
   * Withdraws the amount of a request from an advance. Returns the time at which the reservation expires; undefined if
   * the request must be reserved separately.
   *
   * @param blocking the blocking budgets that apply to the request, at least one
   */
  draw(orgId: string, set: BudgetSet, blocking: readonly KnownBudget[], ask: SpendAsk): Date | undefined {
    // A split budget has many parts, each with little demand, so advances for them are not worthwhile.
    if (this.isClosing || blocking.some(({ splitBy }) => splitBy !== null)) return undefined;
    const now = performance.now();
    const line = this.lineOf(keyOf(orgId, set, blocking, ask.request.at));
    line.demand.note(ask.picodollars, now);
    const active = line.active?.terms.version === set.version ? line.active : undefined;
    const isDrawn = active?.draw(ask, now) ?? false;
    if (line.demand.isBusy && !line.isTaking && now >= line.pausedUntil && (active?.isRunningOut(now) ?? true)) {
      const taking = this.take(line, orgId, set, blocking, ask, now).finally(() => this.taking.delete(taking));
      this.taking.add(taking);
    }
    if (!active || !isDrawn) return undefined;
    this.drawn.set(ask.request.decisionId, active);
    return active.terms.expiresAt;
  }

  /**
   * Takes back the withdrawal of a decision, and returns its amount in picodollars. Undefined if the decision has no
   * withdrawal, or if its reservation already has a separate row.
   */
  async giveBack(orgId: string, decisionId: string): Promise<bigint | undefined> {
    const advance = this.advanceOf(orgId, decisionId);
    if (!advance) return undefined;
    if (advance.isMoving(decisionId)) {
      await advance.idle();
      return this.giveBack(orgId, decisionId);
    }
    this.drawn.delete(decisionId);
    return advance.giveBack(decisionId);
  }

  /** Creates separate rows for the withdrawals of these decisions that have none. */
  async store(orgId: string, decisionIds: readonly string[]): Promise<void> {
    const advances = new Map<Advance, string[]>();
    for (const id of decisionIds) {
      const advance = this.advanceOf(orgId, id);
      if (!advance) continue;
      const ids = advances.get(advance);
      if (ids) ids.push(id);
      else advances.set(advance, [id]);
    }
    await Promise.all([...advances].map(([advance, ids]) => this.divide(advance, true, () => advance.drawnFor(ids))));
  }

  /**
   * Closes the advances of one organization, or of all organizations. Returns whether there were any. If the database
   * cannot be reached, they are closed later.
   */
  async closeAll(orgId?: string): Promise<boolean> {
    const closing = [...this.held.keys()].filter(({ terms }) => orgId === undefined || terms.orgId === orgId);
    await Promise.all(closing.map(advance => this.close(advance)));
    return closing.length > 0;
  }

  private async take(
    line: Line,
    orgId: string,
    set: BudgetSet,
    blocking: readonly KnownBudget[],
    { request, picodollars: one }: SpendAsk,
    takenAt: number,
  ): Promise<void> {
    const picodollars = line.demand.sizeWithin(smallestOf(blocking), one);
    if (picodollars === undefined) return;
    line.isTaking = true;
    const id = newId(request.at);
    try {
      const ask = { request: { ...request, decisionId: id }, picodollars, isAdvance: true };
      const outcome = await this.batcher.tryReserve(orgId, ask);
      if (outcome.state !== 'reserved') line.pausedUntil = takenAt + PAUSE_MS;
      else {
        const { version } = set;
        const { expiresAt } = outcome;
        this.open(line, new Advance({ id, orgId, version, picodollars, expiresAt, takenAt }));
      }
    } catch {
      // A failed advance needs no error: the requests are then reserved separately and report the error themselves.
      line.pausedUntil = takenAt + RETRY_MS;
    } finally {
      line.isTaking = false;
    }
  }

  private open(line: Line, advance: Advance): void {
    const before = line.active;
    const { orgId, version } = advance.terms;
    this.held.set(advance, setTimeout(() => void this.close(advance), ADVANCE_LIFE_MS).unref());
    if (before) void this.close(before);
    line.active = advance;
    // If budgets were changed meanwhile, other budgets may apply to the request.
    if (this.budgets.peek(orgId)?.version !== version) void this.close(advance);
  }

  /** Never rejects. */
  private async close(advance: Advance): Promise<void> {
    advance.close();
    clearTimeout(this.held.get(advance));
    try {
      await this.divide(advance, false, () => advance.drawnFor());
      this.held.delete(advance);
    } catch (error) {
      if (!isOutage(error)) {
        this.held.delete(advance);
        this.logger.error(`What is held ahead of budgets is released when it expires: ${messageOf(error)}`);
      } else if (!this.isClosing) {
        this.held.set(advance, setTimeout(() => void this.close(advance), RETRY_MS).unref());
      }
    }
  }

  private divide(advance: Advance, keepsRest: boolean, choose: () => SpendAsk[]): Promise<void> {
    const { id, orgId } = advance.terms;
    return advance.move(choose, async asks => {
      if (keepsRest && asks.length === 0) return;
      const rows = [
        plainArray(asks, ({ request }) => request.decisionId),
        plainArray(asks, ({ picodollars }) => `${picodollars}e-12`),
        textArray(asks, ({ request }) => request.userId),
        textArray(asks, ({ request }) => request.provider),
        textArray(asks, ({ request }) => request.model),
        textArray(asks, aboutOf),
      ];
      await retryingConflicts(() => this.database.global(DIVIDE, [orgId, id, keepsRest, ...rows]));
      for (const { request } of asks) this.drawn.delete(request.decisionId);
    });
  }

  private advanceOf(orgId: string, decisionId: string): Advance | undefined {
    const advance = this.drawn.get(decisionId);
    return advance?.terms.orgId === orgId ? advance : undefined;
  }

  private lineOf(key: string): Line {
    const known = this.lines.get(key);
    if (known) return known;
    const line = { demand: new AdvanceDemand(), active: undefined, isTaking: false, pausedUntil: 0 };
    this.lines.set(key, line);
    return line;
  }
}

function keyOf(orgId: string, { calendar }: BudgetSet, blocking: readonly KnownBudget[], at: Date): string {
  let key = orgId;
  for (const { id, period } of blocking) key += ` ${id} ${calendar.windowOf(period, at).start.getTime()}`;
  return key;
}

function smallestOf(budgets: readonly KnownBudget[]): bigint {
  let smallest: bigint | undefined;
  for (const { amountUsd } of budgets) {
    const amount = usdToPico(amountUsd) ?? 0n;
    if (smallest === undefined || amount < smallest) smallest = amount;
  }
  return smallest ?? 0n;
}
