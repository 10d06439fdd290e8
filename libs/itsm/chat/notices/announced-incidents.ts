import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { IncidentRecorder, type IncidentConsumer, type OpenedIncident } from '#incidents';
import { NoticeOrders } from './notice-orders.js';

/** Announces incidents in chats, and keeps the messages up to date. */
@Injectable()
export class AnnouncedIncidents implements IncidentConsumer, OnModuleInit {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly orders: NoticeOrders,
  ) {}

  onModuleInit(): void {
    this.incidents.addConsumer(this);
  }

  async opened(em: EntityManager, orgId: string, incidents: readonly OpenedIncident[]): Promise<void> {
    await this.orders.announce(em, orgId, 'incident', 'open', () =>
      incidents.map(({ incidentId: id, severity, occurrence }) => {
        return { id, severity, policyId: occurrence.policyId, person: occurrence };
      }),
    );
  }

  async changed(em: EntityManager, orgId: string, incidentIds: readonly string[]): Promise<void> {
    await this.orders.changed(em, orgId, 'incident', incidentIds);
  }
}
