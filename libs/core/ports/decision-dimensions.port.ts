import type { Dimensions } from '../dimensions.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** Dimensions of a decision, in addition to the model. */
export interface DecidedFor extends Dimensions {
  /** The user; null if the decision had none. */
  readonly userId: string | null;
  /** The user's department at the time of the decision. */
  readonly department: string | null;
  /** The access token with which the decision was requested; null for other credentials. */
  readonly tokenId: string | null;
}

/** Reads the dimensions of decisions. A usage event that names a decision inherits them, unless it sets its own. */
export abstract class DecisionDimensions {
  /**
   * Returns the dimensions by the decision's id in lower case. Unknown decisions are omitted. A decision must be known
   * on every replica as soon as it is answered, even if its record is written later. Ingestion calls this once for each
   * batch that names decisions, before it stores the batch. Must be idempotent.
   * @param tx a running transaction of the organization, in which the decisions may have been made
   */
  abstract of(orgId: string, decisionIds: readonly string[], tx?: SqlTransaction): Promise<Map<string, DecidedFor>>;
}
