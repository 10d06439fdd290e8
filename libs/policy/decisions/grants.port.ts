import type { GrantIndex } from '../decide/grants.js';

/** The grants of each organization. */
export abstract class Grants {
  /** The grants in memory; undefined if the organization's grants are not loaded yet. */
  abstract peek(orgId: string): GrantIndex | undefined;

  /** The grants from memory, or else from the database. Rejects if they cannot be read. */
  abstract of(orgId: string): Promise<GrantIndex>;
}
