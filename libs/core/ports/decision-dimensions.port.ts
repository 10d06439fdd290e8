import type { Dimensions } from '../dimensions.js';

/** What a decision was about, beside the model. */
export interface DecidedFor extends Dimensions {
  /** The person; null where the decision knew none. */
  readonly userId: string | null;
  /** The person's department when the decision was made. */
  readonly department: string | null;
}

/** What decisions were made for: usage that names a decision counts for the same, unless it says otherwise. */
export abstract class DecisionDimensions {
  /**
   * By the decision's id in lower case. Decisions that were not recorded, or not yet, are missing. Called once per usage
   * batch that names decisions, before it is stored; may repeat.
   */
  abstract of(orgId: string, decisionIds: readonly string[]): Promise<Map<string, DecidedFor>>;
}
