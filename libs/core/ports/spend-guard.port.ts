import type { Tags } from '../dimensions.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** A request that is allowed so far and may cost money. */
export interface SpendRequest {
  /** The decision's id, a UUID; what is reserved is settled under it. */
  readonly decisionId: string;
  readonly userId: string;
  readonly department: string | null;
  readonly provider: string;
  readonly model: string;
  /** What the request says that it is for; missing where it says nothing. */
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token with which the decision was asked for, where it was one. */
  readonly tokenId?: string | null | undefined;
  /** Prompt tokens as the caller expects them; undefined where it does not say. */
  readonly inputTokens: number | undefined;
  /** Most tokens that the answer may have; undefined where the caller does not say. */
  readonly outputTokens: number | undefined;
  /** When the decision is made: its windows are those of this instant. */
  readonly at: Date;
}

/** Money that is held until the usage of a decision is reported. */
export interface SpendReservation {
  /** The decision's id. */
  readonly id: string;
  /** US dollars, in units of 10⁻¹² (picodollars). */
  readonly picodollars: bigint;
  /** When it is given back unless usage was reported. */
  readonly expiresAt: Date;
}

/** A limit of requests or tokens that has no room for a request. */
export interface RefusingLimit {
  readonly id: string;
  readonly name: string;
}

/** A budget that has no room for a request. */
export interface RefusingBudget {
  readonly id: string;
  readonly name: string;
}

/** Whether a request may be made: held in every budget that guards it, or in none. */
export type SpendVerdict =
  | { readonly allowed: true; readonly reservation: SpendReservation }
  | {
      readonly allowed: false;
      readonly budgets: readonly RefusingBudget[];
      /** Only where limits have refused it, before any budget was asked. */
      readonly limits?: readonly RefusingLimit[];
      /** With `limits`: after how many milliseconds they may have room. */
      readonly retryAfterMs?: number;
    };

/** Keeps spending within limits: asked once for every decision that would otherwise be allowed. */
export abstract class SpendGuard {
  /**
   * Reserves what a request may cost. Undefined where no limit guards it, and at once where that is known. Throw where
   * the answer cannot be known: the caller answers 503 and allows nothing. Called once per decision; never repeated for
   * one decision id.
   */
  abstract reserve(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined;

  /** The same in a running transaction of the organization: it holds when the caller commits, and only then. */
  abstract reserveWithin(tx: SqlTransaction, orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined>;

  /**
   * Gives back what is held for a decision; answers how much, in picodollars, and 0 where nothing is held, because it
   * was settled, given back or has expired. May repeat.
   */
  abstract release(orgId: string, decisionId: string): Promise<bigint>;

  /**
   * The same in a running transaction of the organization, for what was reserved in it. Without an implementation the
   * money is held until it expires.
   */
  releaseWithin(_tx: SqlTransaction, _orgId: string, _decisionId: string): Promise<bigint> {
    return Promise.resolve(0n);
  }

  /**
   * Holds what is held for a decision for a whole term from now on, never shorter than before; answers until when.
   * Undefined where nothing is held any more. May repeat. Without an implementation nothing can be extended.
   */
  extend(_orgId: string, _decisionId: string): Promise<Date | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Registers work that counts usage which has ended but is not counted yet. It answers whether there was any; then ask
   * again before you refuse a request. Called once per source at boot. Without an implementation, requests may be refused
   * for what a call holds that has just ended.
   */
  beforeRefusal(_settle: (orgId: string) => Promise<boolean>): void {}
}
