import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, SCHEMA, sqlOf } from '#database';
import type { RecordedDecision } from '../records/decision-log.js';
import { Approval } from './approval.entity.js';
import { granteeOf } from '../decide/grants.js';

// Revoked and expired grants keep their original end. For each policy, this selects the newest approval that was
// requested before the decision.
const BEHIND = `
select distinct on (a.policy_id) a.* from ${SCHEMA}.approvals a
where a.org_id = $1 and (a.id = $2 or a.policy_id = any ($3::uuid[]) and a.user_id = $4 and a.model = $5
  and a.status in ('approved', 'expired', 'revoked') and a.decided_at is not null and a.requested_at <= $6
  and a.expires_at > $6 and (a.status = 'revoked' or a.decided_at <= $6))
order by a.policy_id, a.requested_at desc`;

/** The approvals that a decision required or used, with their current status. */
export async function approvalsBehind(em: EntityManager, orgId: string, record: RecordedDecision): Promise<Approval[]> {
  const { approval_id: awaited, reason, user_id: id, user_email: email, model, evaluated_at: at } = record;
  const asking = record.policies.filter(({ action }) => action === 'require_approval');
  const granting = reason === 'approval_granted' ? asking : [];
  if (awaited === undefined && granting.length === 0) return [];
  const rows = await sqlOf(em).query<Record<string, unknown>>(BEHIND, [
    orgId,
    awaited ?? null,
    plainArray(granting, policy => policy.id),
    granteeOf({ id, email }),
    model,
    at,
  ]);
  return rows.map(row => em.map(Approval, row));
}
