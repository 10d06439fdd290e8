import type { EntityManager } from '@mikro-orm/postgresql';
import type { AwaitedApproval, DecisionRow } from './decision-row.js';

/** The record of a decision that waits for an approval. */
export type AwaitingRow = DecisionRow & { readonly requiredApproval: AwaitedApproval };

/** The approvals to which the records of one transaction refer. */
export interface AttachedApprovals {
  /** The id of the approval, by the id of the record. */
  readonly ids: ReadonlyMap<string, string>;
  /**
   * Counts the stored records. Deletes requests that were opened for records that were not stored. Called once, at the
   * end of the transaction, because it locks the audit log.
   */
  conclude(stored: Pick<ReadonlySet<string>, 'has'>): Promise<void>;
}

/** Opens requests for approval, in the transaction of the decision records that require them. */
export abstract class ApprovalRequests {
  /**
   * For each record, finds or opens the approval for which it waits. Called before the records are written, at most
   * once per transaction, and again if the transaction is retried.
   */
  abstract attach(em: EntityManager, orgId: string, rows: readonly AwaitingRow[]): Promise<AttachedApprovals>;
}
