import type { Dimensions } from '../dimensions.js';

/** Dimensions of a decision besides the model. */
export interface DecidedFor extends Dimensions {
  /** The person; null where the decision knew none. */
  readonly userId: string | null;
  /** The person's department when the decision was made. */
  readonly department: string | null;
}

/** Reads the dimensions of decisions. Usage that names a decision gets the same ones, unless it sets its own. */
export abstract class DecisionDimensions {
  /**
   * By the decision's id in lower case. Decisions that were not recorded, or not yet, are missing. Called once per usage
   * batch that names decisions, before it is stored; may repeat.
   */
  abstract of(orgId: string, decisionIds: readonly string[]): Promise<Map<string, DecidedFor>>;
}
