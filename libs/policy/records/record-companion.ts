import type { EntityManager } from '@mikro-orm/postgresql';
import type { DecisionRow } from './decision-row.js';

/**
 * What goes with records in their transaction. Records that are written together and have the same companion share its
 * calls; where the transaction is tried again, all are called again.
 */
export interface RecordCompanion {
  /** Called before the rows are written, to complete them. */
  prepare(em: EntityManager, orgId: string, rows: readonly DecisionRow[]): Promise<void>;
  /** Called after the rows were written; `stored` has the ids of those that were not there before. */
  complete(em: EntityManager, orgId: string, rows: readonly DecisionRow[], stored: ReadonlySet<string>): Promise<void>;
  /** Called at the end of the transaction, when everything else is written and locked. */
  conclude(em: EntityManager, orgId: string, rows: readonly DecisionRow[]): Promise<void>;
}
