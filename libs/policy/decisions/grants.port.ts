import type { GrantIndex } from '../decide/grants.js';

/** What approvers have granted in each organization. */
export abstract class Grants {
  /** From memory; undefined where the organization's grants were not read yet. */
  abstract peek(orgId: string): GrantIndex | undefined;

  /** From memory, or read from the database. Rejects where they cannot be read. */
  abstract of(orgId: string): Promise<GrantIndex>;
}
