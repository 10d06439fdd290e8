import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '#access';
import { isUuid } from '#core';
import { ApprovalRelay, type ApprovalSource, type RelayedApproval } from '#incidents';
import { ApprovalTerms } from './approval-terms.js';
import { Approval } from './approval.entity.js';
import { ApprovalService } from './approval.service.js';

/** Provides approvals to other libraries, and accepts decisions from them. */
@Injectable()
export class RelayedApprovals implements ApprovalSource, OnModuleInit {
  constructor(
    private readonly approvals: ApprovalService,
    private readonly terms: ApprovalTerms,
    private readonly relay: ApprovalRelay,
  ) {}

  onModuleInit(): void {
    this.relay.connect(this);
  }

  async find(em: EntityManager, orgId: string, ids: readonly string[]): Promise<RelayedApproval[]> {
    const found = await em.find(Approval, { orgId, id: { $in: [...ids] } });
    return found.map(approval => relayed(approval, this.terms.now()));
  }

  decide(actor: Actor, id: string, verb: 'approve' | 'deny'): Promise<RelayedApproval> {
    if (verb === 'approve') return this.approvals.approve(actor, id, {}, relayed);
    return this.approvals.deny(actor, id, {}, relayed);
  }
}

function relayed(approval: Approval, now: Date): RelayedApproval {
  const { id, policyId, policyName, userId, userEmail, provider, model, requestedAt, expiresAt, decidedBy } = approval;
  const person = userEmail ?? userId;
  const status = approval.statusAt(now);
  return {
    id,
    status,
    policyId,
    policyName,
    userId: isUuid(userId) ? userId : null,
    userEmail,
    person,
    provider,
    model,
    requestedAt,
    expiresAt,
    decidedBy: decidedBy?.name ?? null,
  };
}
