import type { SqlTransaction } from './sql-transaction.port.js';

/** A user's usage of one model of one provider on one day. */
export interface UsageFigure {
  readonly userId: string;
  readonly model: string;
  readonly provider: string;
  readonly requests: number;
  /** US dollars, in units of 10⁻¹² (picodollars); unpriced usage counts as 0. */
  readonly picodollars: bigint;
}

/** Reads usage for policy simulations. Called in short read-only transactions of the organization; may be repeated. */
export abstract class UsageFigures {
  /**
   * Cost so far of the requests of some decisions, in picodollars, by the decision's id in lower case. Decisions
   * without reported usage are missing. Called with at most a few thousand ids of similar age.
   */
  abstract costsOf(tx: SqlTransaction, orgId: string, decisionIds: readonly string[]): Promise<Map<string, bigint>>;

  /**
   * The figures of one UTC day (`YYYY-MM-DD`), one entry per user, model and provider, in an order that the port
   * chooses: at most `limit` entries, after the entry `after` if given. Fewer than `limit` entries are the last page.
   */
  abstract ofDay(
    tx: SqlTransaction,
    orgId: string,
    day: string,
    limit: number,
    after?: UsageFigure,
  ): Promise<UsageFigure[]>;
}
