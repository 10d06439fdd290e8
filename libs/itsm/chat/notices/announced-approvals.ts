import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ApprovalRelay, type ApprovalWatcher } from '#incidents';
import { NoticeOrders } from './notice-orders.js';

/** Announces approval requests in chats, and keeps the messages up to date. */
@Injectable()
export class AnnouncedApprovals implements ApprovalWatcher, OnModuleInit {
  constructor(
    private readonly approvals: ApprovalRelay,
    private readonly orders: NoticeOrders,
  ) {}

  onModuleInit(): void {
    this.approvals.addWatcher(this);
  }

  async requested(em: EntityManager, orgId: string, ids: readonly string[]): Promise<void> {
    await this.orders.announce(em, orgId, 'approval', 'pending', async () => {
      const approvals = await this.approvals.find(em, orgId, ids);
      return approvals.map(({ id, policyId, userId, userEmail }) => {
        // Approval requests have no severity, and the routing of approvals does not use it.
        return { id, severity: 'critical', policyId, person: { userId, userEmail, details: {} } };
      });
    });
  }

  async changed(em: EntityManager, orgId: string, ids: readonly string[]): Promise<void> {
    await this.orders.changed(em, orgId, 'approval', ids);
  }
}
