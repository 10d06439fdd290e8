import type { SqlTransaction } from './sql-transaction.port.js';

/**
 * Knows which organizations the operator has suspended. Answers from memory, and follows changes on any replica within
 * one second.
 */
export abstract class OrganizationStates {
  /** Whether the organization is suspended. Returns a promise only if the organization is not in memory yet. */
  abstract isSuspended(orgId: string): boolean | Promise<boolean>;

  /**
   * Refuses work for a suspended organization. Returns a promise only if the organization is not in memory yet.
   * @throws OrganizationSuspendedError
   */
  abstract assertActive(orgId: string): Promise<void> | undefined;

  /**
   * Whether the organization is suspended, read from its row in a transaction of the organization. Locks the row, so
   * that the organization cannot be resumed before the transaction ends.
   */
  abstract isSuspendedWithin(tx: SqlTransaction, orgId: string): Promise<boolean>;
}
