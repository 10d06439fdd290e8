import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ApprovalRelay, Incident } from '#incidents';
import { dashboardOf, ITSM_OPTIONS, type ItsmOptions } from '../../itsm.options.js';
import type { ChatNotice } from '../chat-notifier.port.js';
import { approvalNotice, incidentNotice } from './notice-text.js';
import type { OwedNotice } from './notice-rows.js';

/** Writes notifications from the current state of their subjects. */
@Injectable()
export class NoticeContent {
  private readonly dashboardUrl: string | null;

  constructor(
    private readonly approvals: ApprovalRelay,
    @Inject(ITSM_OPTIONS) options: ItsmOptions,
  ) {
    this.dashboardUrl = dashboardOf(options);
  }

  /** Contents of notifications by the id of their subject. A subject that no longer exists has no entry. */
  async of(em: EntityManager, orgId: string, notices: readonly OwedNotice[]): Promise<Map<string, ChatNotice>> {
    const idsOf = (wanted: OwedNotice['subject']): string[] =>
      notices.filter(({ subject }) => subject === wanted).map(({ subjectId }) => subjectId);
    const ofIncidents = idsOf('incident');
    const incidents = ofIncidents.length === 0 ? [] : await em.find(Incident, { orgId, id: { $in: ofIncidents } });
    const approvals = await this.approvals.find(em, orgId, idsOf('approval'));
    return new Map([
      ...incidents.map(incident => [incident.id, incidentNotice(incident, this.dashboardUrl)] as const),
      ...approvals.map(approval => [approval.id, approvalNotice(approval, this.dashboardUrl)] as const),
    ]);
  }
}
