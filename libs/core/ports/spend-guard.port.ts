import type { Tags } from '../dimensions.js';
import type { ServiceTier } from '../service-tier.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** An allowed request that may cost money. */
export interface SpendRequest {
  /** The decision's id, a UUID, which also identifies the reservation. */
  readonly decisionId: string;
  readonly userId: string;
  readonly department: string | null;
  readonly provider: string;
  readonly model: string;
  /** Project and tags of the request, if it has any. */
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token of the caller; null or missing for other credentials. */
  readonly tokenId?: string | null | undefined;
  /** The caller's estimate of prompt tokens; undefined if there is none. */
  readonly inputTokens: number | undefined;
  /** Maximum number of output tokens; undefined if the caller sets none. */
  readonly outputTokens: number | undefined;
  /** Tier and region that the caller requests, if any. They determine the price. */
  readonly serviceTier?: ServiceTier | undefined;
  readonly region?: string | undefined;
  /** Time of the decision, which determines the budget windows. */
  readonly at: Date;
  /**
   * Whether this process ends the request. If true, it releases the reservation, or calls `store` before it counts the
   * usage. Until then, the reservation may exist only in the memory of this process.
   */
  readonly endsHere?: boolean | undefined;
}

/** Money that is reserved until the usage of a decision is reported. */
export interface SpendReservation {
  /** The decision's id. */
  readonly id: string;
  /** US dollars, in units of 10⁻¹² (picodollars). */
  readonly picodollars: bigint;
  /** When the reservation expires if no usage is reported. */
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

/** The result of a reservation. The cost is reserved in every applicable budget, or in none. */
export type SpendVerdict =
  | { readonly allowed: true; readonly reservation: SpendReservation }
  | {
      readonly allowed: false;
      readonly budgets: readonly RefusingBudget[];
      /** Set only if limits refused the request. Budgets were then not checked. */
      readonly limits?: readonly RefusingLimit[];
      /** Milliseconds to wait before a retry. Set only together with `limits`. */
      readonly retryAfterMs?: number;
    };

/** Enforces budgets and limits. Called once for every decision that no policy refuses. */
export abstract class SpendGuard {
  /**
   * Reserves the estimated cost of a request. If no budget or limit applies, returns undefined, synchronously if
   * possible. Throw if the result cannot be determined: the caller then answers 503 and allows nothing. Called once per
   * decision id, never repeated.
   */
  abstract reserve(orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> | undefined;

  /**
   * Like {@link reserve}, in a running transaction of the organization. The reservation takes effect when the caller
   * commits.
   */
  abstract reserveWithin(tx: SqlTransaction, orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined>;

  /**
   * Releases the reservation of a decision. Returns the released amount in picodollars. Returns 0 if the reservation
   * has expired, was released before, or its usage was reported. Idempotent.
   */
  abstract release(orgId: string, decisionId: string): Promise<bigint>;

  /**
   * Releases reservations in the same transaction of the organization in which they were made. If a guard does not
   * implement this, the money stays reserved until the reservation expires.
   */
  releaseWithin(_tx: SqlTransaction, _orgId: string, _decisionId: string): Promise<bigint> {
    return Promise.resolve(0n);
  }

  /**
   * Extends the reservation of a decision to a full term from now, and never shortens it. Returns the new expiry;
   * undefined if the reservation no longer exists. Idempotent. If a guard does not implement this, reservations cannot
   * be extended.
   */
  extend(_orgId: string, _decisionId: string): Promise<Date | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Stores the reservations of decisions that were reserved with `endsHere`, so that their usage can be counted in a
   * transaction. Idempotent. A guard that stores all reservations at once need not implement this.
   */
  store(_orgId: string, _decisionIds: readonly string[]): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Registers a function that counts the usage of calls that have ended but are not counted yet. The guard calls it
   * before it refuses a request. The function returns whether it has counted any usage; if so, the guard checks the
   * request again. Called once per source at boot. If a guard does not implement this, the reservations of calls that
   * have just ended may cause refusals.
   */
  beforeRefusal(_settle: (orgId: string) => Promise<boolean>): void {}
}
