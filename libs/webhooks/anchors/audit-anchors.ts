import { Inject, Injectable } from '@nestjs/common';
import { AuditHeads } from '#access';
import { OrgDatabase, SCHEMA } from '#database';
import { EventOutbox } from '#outbox';
import { Scheduler } from '#scheduler';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.options.js';

const DEFAULT_HOURS = 24;
/** Maximum number of organizations per round. */
const PIECE = 100;

const DUE = `select org_id from ${SCHEMA}.organizations_due_an_anchor($1, $2) as org_id`;

/** At a set interval, sends the latest entry of each audit log to webhooks that name the event type `audit_anchor`. */
@Injectable()
export class AuditAnchors {
  /** Sends all anchors that are due. Returns the number of organizations. */
  readonly send: () => Promise<number>;
  private readonly hours: number;

  constructor(
    private readonly database: OrgDatabase,
    private readonly heads: AuditHeads,
    private readonly outbox: EventOutbox,
    @Inject(WEBHOOKS_OPTIONS) options: WebhooksOptions,
    scheduler: Scheduler,
  ) {
    this.hours = options.auditAnchorHours ?? DEFAULT_HOURS;
    this.send = scheduler.add({
      name: 'audit-anchors',
      pattern: '15 */5 * * * *',
      isDueAtStart: true,
      failure: 'Anchors of audit logs could not be sent',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    if (this.hours === 0) return 0;
    const due = await this.database.global<{ org_id: string }>(DUE, [this.hours, PIECE]);
    let sent = 0;
    const faults: unknown[] = [];
    for (const { org_id: orgId } of due) {
      try {
        if (await this.sendOne(orgId)) sent += 1;
      } catch (error) {
        // An error of one organization does not stop the others.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return sent;
  }

  private sendOne(orgId: string): Promise<boolean> {
    return this.database.transaction(orgId, async em => {
      const data = await this.heads.takeAnchor(em, orgId, this.hours);
      if (data) await this.outbox.fire(em, orgId, [{ type: 'audit_anchor', data }]);
      return data !== undefined;
    });
  }
}
