import type { SqlTransaction } from './sql-transaction.port.js';

/** What one person used of one model of one provider on one day. */
export interface UsageFigure {
  readonly userId: string;
  readonly model: string;
  readonly provider: string;
  readonly requests: number;
  /** US dollars, in units of 10⁻¹² (picodollars); usage of unknown price adds nothing. */
  readonly picodollars: bigint;
}

/** Reads usage for policy simulations. Called in short read-only transactions of the organization; may repeat. */
export abstract class UsageFigures {
  /**
   * Cost so far of the requests of some decisions, in picodollars, by the decision's id in lower case. Decisions
   * whose usage was not reported under their id are missing. Called for at most a few thousand ids, neighbours in
   * time.
   */
  abstract costsOf(tx: SqlTransaction, orgId: string, decisionIds: readonly string[]): Promise<Map<string, bigint>>;

  /**
   * The figures of one UTC day (`YYYY-MM-DD`), each person, model and provider once, in an order of the port's own: at
   * most `limit` of them, those behind `after` where it is given. Fewer than `limit` are the last ones.
   */
  abstract ofDay(
    tx: SqlTransaction,
    orgId: string,
    day: string,
    limit: number,
    after?: UsageFigure,
  ): Promise<UsageFigure[]>;
}
