import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import type { Actor } from '../principals/principal.js';

/** One change for the audit log. Secrets must not be part of `before` and `after`. */
export interface AuditEntry {
  /** `<resource>.<verb in the past>`, such as `policy.updated`. */
  action: string;
  resourceType: string;
  resourceId: string;
  before: JsonObject | null;
  after: JsonObject | null;
}

/** The append-only log of changes and their authors. */
export abstract class AuditLog {
  /** Appends an entry in the transaction of the change: both are committed, or neither is. */
  abstract append(em: EntityManager, actor: Actor, entry: AuditEntry): Promise<void>;
}
