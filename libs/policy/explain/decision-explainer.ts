import { Injectable } from '@nestjs/common';
import { Clock, type SqlTransaction } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { approvalsBehind } from '../approvals/approvals-behind.js';
import type { ShowApproval } from '../approvals/approval.service.js';
import { OperatorRegistry } from '../decide/index.js';
import type { DecisionReason } from '../records/decision.js';
import { DecisionLog, type RecordedDecision } from '../records/decision-log.js';
import { RequestJudge } from '../decisions/request-judge.js';
import { newestEntries, policiesInForce, versionsNamed } from '../history/policies-in-force.js';
import { explainMatch, explainMiss, explainNow } from './explained-policies.js';
import { deviceThen, personNow, personThen, referenceTo, subjectOf } from './explained-person.js';
import type { DecidedBy, ExplainedDecision, Explanation } from './explanation.js';
import { summaryOf } from './in-words.js';

/** Maximum number of explained policies: so many matching policies, and so many others. */
const EXPLAINED_MAX = 100;

const DECIDED_BY = {
  no_policy_matched: 'default_action',
  policy: 'policy',
  user_suspended: 'person',
  user_inactive: 'person',
  unknown_user: 'person',
  budget_exceeded: 'budget',
  rate_limited: 'limit',
  model_not_allowed: 'token',
  approval_granted: 'approval',
} as const satisfies Record<DecisionReason, DecidedBy>;

const REVISION = `select policy_revision::text as revision from ${SCHEMA}.decisions where org_id = $1 and id = $2`;

/** Explains past decisions from their records and from the history of the policies. */
@Injectable()
export class DecisionExplainer {
  constructor(
    private readonly database: OrgDatabase,
    private readonly log: DecisionLog,
    private readonly requests: RequestJudge,
    private readonly operators: OperatorRegistry,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the decision as it was made, which never changes, and the changes since then.
   * @throws DecisionNotFoundError
   * @throws UnavailableError if the directory cannot be reached
   */
  async explain<Item>(orgId: string, id: string, showApproval: ShowApproval<Item>): Promise<Explanation<Item>> {
    const record = await this.log.get(orgId, id);
    const person = personThen(record);
    const [user] = await this.requests.people(orgId, [referenceTo(person)]);
    const shown = record.policies.slice(0, EXPLAINED_MAX);
    const ids = shown.map(policy => policy.id);
    return this.database.snapshot(orgId, async em => {
      const tx = sqlOf(em);
      const { decision, isComplete } = await this.asItWas(tx, orgId, record);
      const newest = await newestEntries(tx, orgId, ids);
      const approvals = await approvalsBehind(em, orgId, record);
      return {
        decision_id: record.id,
        summary: summaryOf(decision),
        complete: isComplete,
        as_it_was: decision,
        since: {
          policies: shown.map(policy => explainNow(policy, newest.get(policy.id))),
          person: personNow(user, person),
          approvals: approvals.map(approval => showApproval(approval, this.clock.now())),
        },
      };
    });
  }

  private async asItWas(
    tx: SqlTransaction,
    orgId: string,
    record: RecordedDecision,
  ): Promise<{ decision: ExplainedDecision; isComplete: boolean }> {
    const { evaluated_at, provider, model, action, allowed, reason, approval_id, reservation, budgets } = record;
    const person = personThen(record);
    const shown = record.policies.slice(0, EXPLAINED_MAX);
    const versions = await versionsNamed(tx, orgId, shown);
    const revision = await revisionOf(tx, orgId, record.id);
    const decidedBy = DECIDED_BY[reason];
    const [first] = record.policies;
    const wasAsked = decidedBy !== 'person';
    const others = wasAsked && revision !== undefined ? await this.others(tx, orgId, revision, record) : null;
    const decision: ExplainedDecision = {
      evaluated_at,
      provider,
      model,
      action,
      allowed,
      reason,
      decided_by: decidedBy,
      winner: decidedBy === 'policy' && first ? { id: first.id, version: first.version } : null,
      person,
      device: deviceThen(record),
      policies: shown.map(policy => explainMatch(policy, versions.get(policy.id))),
      policies_total: record.policies.length,
      not_matched: others,
      ...(approval_id !== undefined && { approval_id }),
      ...(reservation && { reservation }),
      ...(budgets && { budgets }),
    };
    return { decision, isComplete: revision !== undefined && versions.size === shown.length };
  }

  private async others(
    tx: SqlTransaction,
    orgId: string,
    revision: number,
    record: RecordedDecision,
  ): Promise<ExplainedDecision['not_matched']> {
    const except = record.policies.map(({ id }) => id);
    const { total, first } = await policiesInForce(tx, orgId, revision, { except, limit: EXPLAINED_MAX });
    const subject = subjectOf(personThen(record));
    return { total, items: first.map(version => explainMiss(version, subject, record, this.operators)) };
  }
}

async function revisionOf(tx: SqlTransaction, orgId: string, id: string): Promise<number | undefined> {
  const [row] = await tx.query<{ revision: string | null }>(REVISION, [orgId, id]);
  return row?.revision === null || row?.revision === undefined ? undefined : Number(row.revision);
}
