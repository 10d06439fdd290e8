import type { SpendAsk } from './reservation-plan.js';

/** Milliseconds for which requests may use an advance. Far shorter than the term of any reservation. */
export const ADVANCE_LIFE_MS = 1_000;

/** The amount that a request has withdrawn. */
interface Draw {
  readonly ask: SpendAsk;
  /** Whether its row is being written. */
  isMoving: boolean;
}

/** The parameters of an advance's reservation. */
export interface AdvanceTerms {
  /** Id of its reservation. */
  readonly id: string;
  readonly orgId: string;
  /** Version of the budgets at the time of the reservation. */
  readonly version: number;
  readonly picodollars: bigint;
  readonly expiresAt: Date;
  /** Just before the reservation, in milliseconds of a clock that only moves forward. */
  readonly takenAt: number;
}

/**
 * An amount that this process reserved in advance. Its next requests use it without a query. Its row contains the
 * unused amount and the withdrawals until each withdrawal has a separate row.
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

  /** Whether to make the next advance now, so that it is ready in time. */
  isRunningOut(now: number): boolean {
    if (!this.isOpen || now - this.terms.takenAt >= ADVANCE_LIFE_MS / 2) return true;
    return this.free * 2n < this.terms.picodollars;
  }

  /** Ends withdrawals. */
  close(): void {
    this.isOpen = false;
  }

  /** The withdrawals that have no row yet: of these requests, or of all requests. */
  drawnFor(decisionIds: Iterable<string> = this.draws.keys()): SpendAsk[] {
    const asks: SpendAsk[] = [];
    for (const id of decisionIds) {
      const draw = this.draws.get(id);
      if (draw) asks.push(draw.ask);
    }
    return asks;
  }

  /**
   * Takes back a withdrawal, and returns its amount in picodollars; 0 if there is none.
   *
   * @throws Error if its row is being written: wait for {@link idle} first
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
   * Removes the withdrawals that `choose` selects once `write` has created a row for each. One write at a time. If it
   * fails, they stay, and the advance is closed: some rows may have been written, so less may be available than this
   * process knows.
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
