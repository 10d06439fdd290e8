import type { Tags } from '../dimensions.js';
import type { ServiceTier } from '../service-tier.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** A request that is allowed so far and may cost money. */
export interface SpendRequest {
  /** The decision's id, a UUID; what is reserved is settled under it. */
  readonly decisionId: string;
  readonly userId: string;
  readonly department: string | null;
  readonly provider: string;
  readonly model: string;
  /** Project and tags of the request, if it has any. */
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token of the caller, if it used one. */
  readonly tokenId?: string | null | undefined;
  /** Prompt tokens that the caller estimates; undefined if it does not. */
  readonly inputTokens: number | undefined;
  /** Maximum number of output tokens; undefined if the caller sets none. */
  readonly outputTokens: number | undefined;
  /** Tier and region that the caller asks for, if it names them; they determine the price. */
  readonly serviceTier?: ServiceTier | undefined;
  readonly region?: string | undefined;
  /** When the decision is made: its windows are those of this instant. */
  readonly at: Date;
}

/** A reservation that is held until the usage of a decision is reported. */
export interface SpendReservation {
  /** The decision's id. */
  readonly id: string;
  /** US dollars, in units of 10⁻¹² (picodollars). */
  readonly picodollars: bigint;
  /** When the reservation expires, unless usage is reported. */
  readonly expiresAt: Date;
}

/** A limit of requests or tokens that a request would exceed. */
export interface RefusingLimit {
  readonly id: string;
  readonly name: string;
}

/** A budget that a request would exceed. */
export interface RefusingBudget {
  readonly id: string;
  readonly name: string;
}

/** The verdict on a request. It is reserved in every budget that applies, or in none. */
export type SpendVerdict =
  | { readonly allowed: true; readonly reservation: SpendReservation }
  | {
      readonly allowed: false;
      readonly budgets: readonly RefusingBudget[];
      /** Only if limits refused it, before any budget was checked. */
      readonly limits?: readonly RefusingLimit[];
      /** With `limits`: wait this many milliseconds before a retry. */
      readonly retryAfterMs?: number;
    };

/** Enforces budgets and limits. Called once for every decision that would otherwise be allowed. */
export abstract class SpendGuard {
  /**
   * Reserves the estimated cost of a request. Returns undefined if no limit applies, without a promise if that is
   * known at once. Throw if the result cannot be determined: the caller answers 503 and allows nothing. Called once
   * per decision; never repeated for one decision id.
   */
  abstract reserve(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined;

  /** The same in a running transaction of the organization: the reservation exists only once the caller commits. */
  abstract reserveWithin(tx: SqlTransaction, orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined>;

  /**
   * Releases the reservation of a decision. Returns the amount in picodollars, or 0 if it was already settled or
   * released, or has expired. Idempotent.
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
   * Extends the reservation of a decision to a full term from now, never shortening it. Returns the new end;
   * undefined if there is no reservation any more. Idempotent. Without an implementation nothing can be extended.
   */
  extend(_orgId: string, _decisionId: string): Promise<Date | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Registers work that counts usage which has ended but is not counted yet. It returns whether it counted any; then
   * check again before you refuse a request. Called once per source at boot. Without an implementation, requests may
   * be refused because of reservations of calls that just ended.
   */
  beforeRefusal(_settle: (orgId: string) => Promise<boolean>): void {}
}
