import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, operatorActor } from '#access';
import type { AwaitingRow } from '../records/approval-requests.port.js';
import type { Approval } from './approval.entity.js';

/** Tells the audit log what became of approvals without anybody deciding it. */
@Injectable()
export class ApprovalHistory {
  constructor(private readonly audit: AuditLog) {}

  /** A decision was the first to want an approval. Call it at the end of the transaction: the log is locked from then on. */
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

  /** The time of requests and grants was over, and that has been written down. Call it at the end, too. */
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
