import type { SpendAsk } from './reservation-plan.js';

/** Milliseconds for which requests may use an advance. Much shorter than the term of a reservation. */
export const ADVANCE_LIFE_MS = 1_000;

/** A withdrawal: the amount that a request has taken from an advance. */
interface Draw {
  readonly ask: SpendAsk;
  /** Whether the row of the withdrawal's reservation is being written. */
  isMoving: boolean;
}

/** Data of the reservation that an advance consists of. */
export interface AdvanceTerms {
  /** Id of the advance's reservation. */
  readonly id: string;
  readonly orgId: string;
  /** Version of the budgets at the time of the reservation. */
  readonly version: number;
  readonly picodollars: bigint;
  readonly expiresAt: Date;
  /** Time just before the reservation, in milliseconds of a clock that only moves forward. */
  readonly takenAt: number;
}

/**
 * An amount that this process has reserved in advance. The next requests withdraw from it without a query. Its row in
 * the database covers the unused amount and all withdrawals that do not have a separate row yet.
 */
export class Advance {
  private free: bigint;
  private readonly draws = new Map<string, Draw>();
  private turn: Promise<unknown> = Promise.resolve();
  private isOpen = true;

  constructor(readonly terms: AdvanceTerms) {
    this.free = terms.picodollars;
  }

  /** Withdraws the amount of a request. Returns false if the advance is closed, too old, or has too little left. */
  draw(ask: SpendAsk, now: number): boolean {
    if (!this.isOpen || now - this.terms.takenAt >= ADVANCE_LIFE_MS || ask.picodollars > this.free) return false;
    this.free -= ask.picodollars;
    this.draws.set(ask.request.decisionId, { ask, isMoving: false });
    return true;
  }

  /** Whether the next advance should be made now, so that it is ready before this one is used up or too old. */
  isRunningOut(now: number): boolean {
    if (!this.isOpen || now - this.terms.takenAt >= ADVANCE_LIFE_MS / 2) return true;
    return this.free * 2n < this.terms.picodollars;
  }

  /** Closes the advance: no request can withdraw from it any more. */
  close(): void {
    this.isOpen = false;
  }

  /** The withdrawals without a separate row: those of the given requests, or all. */
  drawnFor(decisionIds: Iterable<string> = this.draws.keys()): SpendAsk[] {
    const asks: SpendAsk[] = [];
    for (const id of decisionIds) {
      const draw = this.draws.get(id);
      if (draw) asks.push(draw.ask);
    }
    return asks;
  }

  /**
   * Takes back a withdrawal. Returns its amount in picodollars; 0 if there is no such withdrawal.
   *
   * @throws Error if the row of the withdrawal is being written: wait for {@link idle} first
   */
  giveBack(decisionId: string): bigint {
    const draw = this.draws.get(decisionId);
    if (!draw) return 0n;
    if (draw.isMoving) throw new Error('This draw is being written.');
    this.draws.delete(decisionId);
    this.free += draw.ask.picodollars;
    return draw.ask.picodollars;
  }

  isMoving(decisionId: string): boolean {
    return this.draws.get(decisionId)?.isMoving ?? false;
  }

  /**
   * Removes the withdrawals that `choose` selects after `write` has created a row for each of them. Only one write runs
   * at a time. If the write fails, the withdrawals stay, and the advance is closed: some rows may have been written,
   * and the remaining amount is unknown.
   */
  move(choose: () => SpendAsk[], write: (asks: readonly SpendAsk[]) => Promise<void>): Promise<void> {
    const moved = this.turn.then(() => this.moveNow(choose(), write));
    this.turn = moved.catch(() => undefined);
    return moved;
  }

  /** Resolves once no row is being written. */
  async idle(): Promise<void> {
    await this.turn;
  }

  private async moveNow(asks: SpendAsk[], write: (asks: readonly SpendAsk[]) => Promise<void>): Promise<void> {
    this.mark(asks, true);
    try {
      await write(asks);
      for (const { request } of asks) this.draws.delete(request.decisionId);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.mark(asks, false);
    }
  }

  private mark(asks: readonly SpendAsk[], isMoving: boolean): void {
    for (const { request } of asks) {
      const draw = this.draws.get(request.decisionId);
      if (draw) draw.isMoving = isMoving;
    }
  }
}
