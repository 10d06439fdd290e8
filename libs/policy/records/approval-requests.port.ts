import type { EntityManager } from '@mikro-orm/postgresql';
import type { AwaitedApproval, DecisionRow } from './decision-row.js';

/** The record of a decision that waits for an approval. */
export type AwaitingRow = DecisionRow & { readonly awaits: AwaitedApproval };

/** The approvals that the records of one transaction wait for. */
export interface AttachedApprovals {
  /** The id of the approval, by the id of the record. */
  readonly ids: ReadonlyMap<string, string>;
  /**
   * Counts the records that were stored, and takes back what was opened for the others. Called once, at the end of the
   * transaction: from then on it holds the lock of the audit log.
   */
  conclude(stored: Pick<ReadonlySet<string>, 'has'>): Promise<void>;
}

/** Requests for approval. They are made in the transaction of the records that wait for them. */
export abstract class ApprovalRequests {
  /**
   * Finds or opens the approval that each record waits for. Called before the records are written, at most once in a
   * transaction; called again when the transaction is tried again.
   */
  abstract attach(em: EntityManager, orgId: string, rows: readonly AwaitingRow[]): Promise<AttachedApprovals>;
}
