import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { Clock, type JsonObject, type SqlTransaction } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { readAnomaly } from './anomalies.service.js';
import type { Anomaly, Feedback } from './anomaly.js';
import { changeOrganizationTolerance, changePersonTolerance } from './watch-ledger.js';

const JUDGE = `
update ${SCHEMA}.anomalies set feedback = $3, feedback_note = $4, feedback_at = $5, feedback_by = $6
where org_id = $1 and id = $2`;

/** Factor by which one feedback changes all limits of the person or organization. */
const FACTORS = { expected: 1.25, unexpected: 0.85 } as const satisfies Record<Feedback, number>;

/** Stores feedback about alarms and adjusts the limits. */
@Injectable()
export class AnomalyFeedbackService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores feedback about an alarm and adjusts the limits of the person or organization. The limits become wider if the
   * usage was expected, and narrower if not. If other feedback follows later, the first adjustment is reverted.
   * @throws AnomalyNotFoundError
   */
  give(actor: Actor, id: string, feedback: Feedback, note: string | null): Promise<Anomaly> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const before = await readAnomaly(tx, orgId, id);
      if (before.feedback === feedback && before.feedbackNote === note) return before;
      const at = this.clock.now();
      const by: JsonObject = { kind: actor.kind, id: actor.id, name: actor.name };
      await this.learn(tx, before, feedback);
      await tx.query(JUDGE, [orgId, before.id, feedback, note, at.toISOString(), JSON.stringify(by)]);
      await this.audit.append(em, actor, {
        action: 'anomaly.judged',
        resourceType: 'anomaly',
        resourceId: before.id,
        before: { feedback: before.feedback, note: before.feedbackNote },
        after: { feedback, note },
      });
      return { ...before, feedback, feedbackNote: note, feedbackAt: at, feedbackBy: by };
    });
  }

  private async learn(tx: SqlTransaction, { orgId, userId, feedback }: Anomaly, next: Feedback): Promise<void> {
    if (feedback === next) return;
    const factor = FACTORS[next] / (feedback === null ? 1 : FACTORS[feedback]);
    if (userId === null) await changeOrganizationTolerance(tx, orgId, factor);
    else await changePersonTolerance(tx, orgId, userId, factor);
  }
}
