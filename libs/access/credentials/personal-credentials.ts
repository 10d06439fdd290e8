import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuditEntry } from '../audit/audit-log.port.js';

/** A user who loses access permanently, and the time. */
export interface Leaver {
  readonly orgId: string;
  readonly userId: string;
  readonly now: Date;
  /** Whether machine tokens that the user created are revoked as well. */
  readonly endsMachineTokens: boolean;
  /** Whether the user is erased. If so, every credential is revoked, regardless of options. Default: false. */
  readonly isErased?: boolean;
}

/**
 * Stores one kind of personal credential, such as access tokens or chat links. A store of another kind, such as browser
 * sessions, implements this and calls {@link PersonalCredentials.add} in `onModuleInit`. Before it stores a credential,
 * it calls `UserDirectory.statusWithin` in the same transaction and refuses a suspended user.
 */
export interface CredentialStore {
  /**
   * Revokes every credential of the user permanently: the credentials stay revoked if the user returns. Called in the
   * transaction that ends the user's access and that has locked the user's row. Must be idempotent. Lock rows in the
   * order of their ids, then increment the version of the change feed. Return the audit entries instead of appending
   * them, because the head of the log must be locked last.
   */
  revokeAllOf(em: EntityManager, leaver: Leaver): Promise<AuditEntry[]>;
}

/**
 * Registry of all kinds of personal credentials. When a user is offboarded or removed, the users library revokes all
 * credentials through this class. An inactive user's credentials are not revoked, but they are refused until the user
 * is active again.
 */
@Injectable()
export class PersonalCredentials {
  private readonly stores: CredentialStore[] = [];

  /** Adds a store. Call it during module initialization. */
  add(store: CredentialStore): void {
    this.stores.push(store);
  }

  /** Revokes all credentials of a user in the caller's transaction; returns the audit entries. */
  async revokeAllOf(em: EntityManager, leaver: Leaver): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for (const store of this.stores) entries.push(...(await store.revokeAllOf(em, leaver)));
    return entries;
  }
}
