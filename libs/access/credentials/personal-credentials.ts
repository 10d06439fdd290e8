import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuditEntry } from '../audit/audit-log.port.js';

/** A person who leaves, and when. */
export interface Leaver {
  readonly orgId: string;
  readonly userId: string;
  readonly now: Date;
  /** Whether tokens of programs that the person made end as well. */
  readonly endsMachineTokens: boolean;
  /** Whether the person is erased: then nothing stays usable, whatever the options say. Default: false. */
  readonly isErased?: boolean;
}

/**
 * Keeps one kind of credential that people hold, such as access tokens or chat links. A store of another kind, such as
 * browser sessions, implements this and calls {@link PersonalCredentials.add} in `onModuleInit`. Before it stores a
 * credential, it asks `UserDirectory.statusWithin` in the same transaction and refuses a suspended user.
 */
export interface CredentialStore {
  /**
   * Ends every credential of the person for good: none is accepted again, even after the person has come back.
   * Called in the transaction that takes the person's access away, which holds the lock of the user's row; may repeat.
   * Lock rows in the order of their ids, and raise a mark of the change feed behind them. Return what the audit log
   * keeps instead of appending it: the head of the log is locked last.
   */
  revokeAllOf(em: EntityManager, leaver: Leaver): Promise<AuditEntry[]>;
}

/**
 * All kinds of credentials that people hold. When a user is offboarded or removed, the users library ends them all
 * through this class. An inactive user keeps them, but they are refused until the user is active again.
 */
@Injectable()
export class PersonalCredentials {
  private readonly stores: CredentialStore[] = [];

  /** Adds a store. Call it while the module is initialized. */
  add(store: CredentialStore): void {
    this.stores.push(store);
  }

  /** Ends all credentials of a person within the caller's transaction; returns what the audit log is to keep of it. */
  async revokeAllOf(em: EntityManager, leaver: Leaver): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for (const store of this.stores) entries.push(...(await store.revokeAllOf(em, leaver)));
    return entries;
  }
}
