import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import type { Actor } from '../principals/principal.js';

/** One change, as the audit log keeps it. Secrets never go in: leave them out of `before` and `after`. */
export interface AuditEntry {
  /** `<resource>.<verb in the past>`, such as `policy.updated`. */
  action: string;
  resourceType: string;
  resourceId: string;
  before: JsonObject | null;
  after: JsonObject | null;
}

/** The organization's append-only record of who changed what. */
export abstract class AuditLog {
  /** Appends inside the transaction that makes the change, so that neither exists without the other. */
  abstract append(em: EntityManager, actor: Actor, entry: AuditEntry): Promise<void>;
}
