import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, operatorActor, type Actor } from '#access';
import type { JsonObject } from '#core';
import { ApprovalRelay } from '#incidents';
import type { AwaitingRow } from '../records/approval-requests.port.js';
import type { Approval } from './approval.entity.js';

/** Writes the audit entries of approvals, and notifies other libraries of changes. */
@Injectable()
export class ApprovalHistory {
  constructor(
    private readonly audit: AuditLog,
    private readonly relay: ApprovalRelay,
  ) {}

  /**
   * Records that a decision has opened a request. Call it at the end of the transaction, because it locks the audit
   * log.
   */
  async opened(
    em: EntityManager,
    orgId: string,
    row: AwaitingRow,
    { id, expiresAt }: { id: string; expiresAt: string },
  ): Promise<void> {
    await this.audit.append(em, operatorActor(orgId, 'decisions'), {
      action: 'approval.requested',
      resourceType: 'approval',
      resourceId: id,
      before: null,
      after: {
        policy_id: row.requiredApproval.policyId,
        policy_name: row.requiredApproval.policyName,
        user_id: row.requiredApproval.userId,
        user_email: row.user_email ?? null,
        model: row.model,
        status: 'pending',
        reason: null,
        expires_at: expiresAt,
        decision_id: row.id,
      },
    });
    await this.relay.requested(em, orgId, [id]);
  }

  /** Records the decision of an approver. Call it at the end of the transaction. */
  async decided(
    em: EntityManager,
    actor: Actor,
    verb: 'approved' | 'denied' | 'revoked',
    { id, before, after }: { id: string; before: JsonObject; after: JsonObject },
  ): Promise<void> {
    const entry = { action: `approval.${verb}`, resourceType: 'approval', resourceId: id, before, after };
    await this.audit.append(em, actor, entry);
    await this.relay.changed(em, actor.orgId, [id]);
  }

  /** Records that requests and grants were marked as expired. Call it at the end of the transaction. */
  async expired(em: EntityManager, orgId: string, approvals: readonly Approval[]): Promise<void> {
    for (const approval of approvals) {
      const after = approval.audited();
      await this.audit.append(em, operatorActor(orgId, 'expiry of approvals'), {
        action: 'approval.expired',
        resourceType: 'approval',
        resourceId: approval.id,
        before: { ...after, status: approval.decidedAt ? 'approved' : 'pending' },
        after,
      });
    }
    const ids = approvals.map(({ id }) => id);
    await this.relay.changed(em, orgId, ids);
  }
}
