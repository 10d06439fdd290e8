import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, operatorActor } from '#access';
import type { AwaitingRow } from '../records/approval-requests.port.js';
import type { Approval } from './approval.entity.js';

/** Writes audit entries for approvals that change without an approver. */
@Injectable()
export class ApprovalHistory {
  constructor(private readonly audit: AuditLog) {}

  /**
   * Records that a decision opened a request. Call it at the end of the transaction, because it locks the audit log.
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
        policy_id: row.awaits.policyId,
        policy_name: row.awaits.policyName,
        user_id: row.awaits.userId,
        user_email: row.user_email ?? null,
        model: row.model,
        status: 'pending',
        reason: null,
        expires_at: expiresAt,
        decision_id: row.id,
      },
    });
  }

  /** Records that requests and grants were marked as expired. Call it at the end of the transaction, too. */
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
  }
}
