import type { SqlTransaction } from './sql-transaction.port.js';

/**
 * Provides the suspension state of organizations. Answers from memory, and follows changes on any replica within one
 * second.
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
   * Whether the organization is suspended. Reads and locks its row in a transaction of the organization. The
   * organization cannot be resumed before that transaction ends.
   */
  abstract isSuspendedWithin(tx: SqlTransaction, orgId: string): Promise<boolean>;
}
