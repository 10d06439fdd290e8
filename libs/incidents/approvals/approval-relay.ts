import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '#access';
import { NotFoundError } from '#core';

/** A request for approval as other libraries see it. */
export interface RelayedApproval {
  readonly id: string;
  /** The status when the request was read. */
  readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'revoked';
  readonly policyId: string;
  readonly policyName: string;
  /** Id of the user in the directory; null if the person is not in the directory. */
  readonly userId: string | null;
  readonly userEmail: string | null;
  /** The person who needs the approval: the e-mail address, or the id if there is no address. */
  readonly person: string;
  readonly provider: string;
  readonly model: string;
  readonly requestedAt: Date;
  /** End of the request, or of the grant if it was approved. */
  readonly expiresAt: Date;
  /** Name of the user who decided last; null if nobody has decided. */
  readonly decidedBy: string | null;
}

/** The library that stores and decides approvals. */
export interface ApprovalSource {
  /** Reads the given approvals that exist, in any order. */
  find(em: EntityManager, orgId: string, ids: readonly string[]): Promise<RelayedApproval[]>;

  /**
   * Decides about a request in the name of the actor, who must have the scope approvals:write.
   * @throws GovernanceError if the actor may not decide about it, or it is no longer pending
   */
  decide(actor: Actor, id: string, verb: 'approve' | 'deny'): Promise<RelayedApproval>;
}

/** Reacts to approvals in the transaction that opens or changes them. Must not call other systems. */
export interface ApprovalWatcher {
  requested(em: EntityManager, orgId: string, ids: readonly string[]): Promise<void>;
  changed(em: EntityManager, orgId: string, ids: readonly string[]): Promise<void>;
}

/**
 * Connects the library that stores approvals with other libraries, which announce requests and pass on decisions from
 * elsewhere. If no source is connected, there are no approvals.
 */
@Injectable()
export class ApprovalRelay {
  private source: ApprovalSource | undefined;
  private readonly watchers: ApprovalWatcher[] = [];

  /** Sets the source. Call it during module initialization. */
  connect(source: ApprovalSource): void {
    this.source = source;
  }

  /** Adds a watcher. Call it during module initialization. */
  addWatcher(watcher: ApprovalWatcher): void {
    this.watchers.push(watcher);
  }

  /** Calls the watchers for new requests, in the transaction that opens them. */
  async requested(em: EntityManager, orgId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) for (const watcher of this.watchers) await watcher.requested(em, orgId, ids);
  }

  /** Calls the watchers for requests that were decided or have expired, in the transaction of the change. */
  async changed(em: EntityManager, orgId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) for (const watcher of this.watchers) await watcher.changed(em, orgId, ids);
  }

  /** Reads the approvals that exist, in no order. */
  async find(em: EntityManager, orgId: string, ids: readonly string[]): Promise<RelayedApproval[]> {
    return ids.length === 0 ? [] : ((await this.source?.find(em, orgId, ids)) ?? []);
  }

  /** Decides about a request, see {@link ApprovalSource.decide}. */
  async decide(actor: Actor, id: string, verb: 'approve' | 'deny'): Promise<RelayedApproval> {
    if (!this.source) throw new NotFoundError('There are no approvals in this installation.');
    return this.source.decide(actor, id, verb);
  }
}
