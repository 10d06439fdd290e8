import type { SqlTransaction } from './sql-transaction.port.js';

/** A user's usage of one model of one provider on one day. */
export interface UsageFigure {
  readonly userId: string;
  readonly model: string;
  readonly provider: string;
  readonly requests: number;
  /** US dollars, in units of 10⁻¹² (picodollars). Unpriced usage counts as 0. */
  readonly picodollars: bigint;
}

/** Reads usage for policy simulations. Called in short read-only transactions of the organization, also repeatedly. */
export abstract class UsageFigures {
  /**
   * Cost of the requests of some decisions so far, in picodollars, by the decision's id in lower case. Decisions
   * without reported usage are omitted. Called with at most a few thousand ids of similar age.
   */
  abstract costsOf(tx: SqlTransaction, orgId: string, decisionIds: readonly string[]): Promise<Map<string, bigint>>;

  /**
   * The usage of one UTC day (`YYYY-MM-DD`), with one entry per user, model and provider. Returns at most `limit`
   * entries, starting after the entry `after` if it is given. The implementation chooses the order. A page with fewer
   * than `limit` entries is the last page.
   */
  abstract ofDay(
    tx: SqlTransaction,
    orgId: string,
    day: string,
    limit: number,
    after?: UsageFigure,
  ): Promise<UsageFigure[]>;
}
