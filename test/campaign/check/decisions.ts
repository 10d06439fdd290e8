import { isTroubled } from './answers.js';
import { field, ofKind, text, type Evidence } from './evidence.js';
import type { Operation } from '../journal.js';
import type { Rule } from './rule.js';

/** Maximum time until a suspension or a revocation takes effect on every replica that reaches the database. */
const WITHIN_MS = 1_000;
/** Time after a disconnection until the replica has read all changes again. */
const CATCH_UP_MS = 5_000;

/** A time range, measured by the clients' clock. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

const SUSPENDED: Rule = {
  name: 'suspended people are refused within a second',
  check: evidence => {
    const suspensions = stretches(evidence, 'user', 'offboard', 'reinstate');
    const asked = decided(evidence, ({ asked: about }) => text(about, 'model') === 'free-1');
    const { examined, late } = allowedLate(evidence, asked, 'user_id', suspensions);
    return { examined, violations: late.map(what => `${what} after their suspension was acknowledged`) };
  },
};

const UNAPPROVED: Rule = {
  name: 'nothing that needs an approval is allowed without',
  check: evidence => {
    const asked = decided(evidence, ({ asked: about }) => text(about, 'model').startsWith('ask-'));
    const grants = ofKind(evidence, 'approve');
    const violations = asked
      .filter(({ asked: about, answer, ended = 0 }) => {
        const isGranted = grants.some(
          grant => text(grant.asked, 'model') === text(about, 'model') && grant.begun < ended,
        );
        return field(answer, 'allowed') === true && !isGranted;
      })
      .map(({ op, asked: about }) => `operation ${op} was allowed ${text(about, 'model')} without a grant`);
    const revocations = stretches(evidence, 'model', 'revoke', 'approve');
    const { late } = allowedLate(evidence, asked, 'model', revocations);
    return { examined: asked.length, violations: [...violations, ...late.map(what => `${what} after its revocation`)] };
  },
};

const KEYED: Rule = {
  name: 'an idempotency key makes one decision',
  check: evidence => {
    const keyed = decided(evidence, ({ asked }) => text(asked, 'idempotency_key') !== '');
    const violations = [...Map.groupBy(keyed, ({ asked }) => text(asked, 'idempotency_key'))]
      .map(([key, all]) => ({ key, ids: new Set(all.map(({ answer }) => text(answer, 'id'))) }))
      .filter(({ ids }) => ids.size > 1)
      .map(({ key, ids }) => `"${key}" made ${ids.size} decisions`);
    return { examined: keyed.length, violations };
  },
};

interface DecisionRow {
  id: string;
  allowed: boolean;
  matched: number;
  events: number;
}

// Each matching policy with block or alert causes an event, in the transaction of the record.
const RECORDED = `
with told as materialized (
  select convert_from(body, 'UTF8')::jsonb #>> '{data,details,decision_id}' as decision_id, count(*)::int as n
  from governance.events where org_id = $1 and type = 'policy_violation' group by 1)
select d.id, d.allowed, coalesce(t.n, 0) as events, (
    select count(*) from jsonb_array_elements(d.policies) p where p ->> 'action' in ('block', 'alert'))::int as matched
from governance.decisions d left join told t on t.decision_id = d.id::text where d.org_id = $1`;

const VIOLATIONS: Rule = {
  name: 'no acknowledged violation is lost',
  check: async evidence => {
    const rows = new Map((await evidence.rows<DecisionRow>(RECORDED)).map(row => [row.id, row]));
    const violations: string[] = [];
    const answered = decided(evidence, ({ answer }) => {
      const policies = field(answer, 'policies');
      // A decision that a granted approval allows emits no event. It is therefore answered before it is recorded.
      const isGranted = text(answer, 'reason') === 'approval_granted';
      return Array.isArray(policies) && policies.length > 0 && !isGranted;
    });
    for (const { op, answer } of answered) {
      const row = rows.get(text(answer, 'id'));
      if (!row) violations.push(`operation ${op}: the decision ${text(answer, 'id')} is not recorded`);
      else if (row.allowed !== field(answer, 'allowed')) violations.push(`operation ${op} is recorded otherwise`);
    }
    for (const { id, matched, events } of rows.values()) {
      if (matched !== events) violations.push(`decision ${id} broke ${matched} policies and made ${events} events`);
    }
    return { examined: answered.length, violations };
  },
};

export const DECISION_RULES: readonly Rule[] = [SUSPENDED, UNAPPROVED, KEYED, VIOLATIONS];

function decided(evidence: Evidence, which: (operation: Operation) => boolean): Operation[] {
  return ofKind(evidence, 'decide').filter(operation => operation.status === 200 && which(operation));
}

/**
 * For each subject, the periods in which a change was in effect: from its acknowledgment to the start of the change
 * that reverts it.
 */
function stretches(evidence: Evidence, subject: string, begins: string, ends: string): Map<string, Stretch[]> {
  const found = new Map<string, Stretch[]>();
  const undone = Map.groupBy(ofKind(evidence, ends), ({ asked }) => text(asked, subject));
  for (const { asked, begun, ended, status } of ofKind(evidence, begins)) {
    if (status !== 200 || ended === undefined) continue;
    const about = text(asked, subject);
    // A change whose answer was lost, or a change that another client had begun before, may also revert it.
    const later = (undone.get(about) ?? []).filter(other => (other.ended ?? Infinity) > begun);
    const to = Math.min(...later.map(other => other.begun));
    found.set(about, [...(found.get(about) ?? []), { from: ended, to }]);
  }
  return found;
}

/**
 * Decisions that were allowed although they began more than a second after the change was acknowledged, and were
 * answered before the change was reverted.
 */
function allowedLate(
  evidence: Evidence,
  operations: readonly Operation[],
  subject: string,
  forbidden: ReadonlyMap<string, readonly Stretch[]>,
): { examined: number; late: string[] } {
  const judged = operations.flatMap(operation => {
    const { asked, begun, ended = Infinity, replica } = operation;
    const stretch = forbidden.get(text(asked, subject))?.find(({ from, to }) => begun > from + WITHIN_MS && ended < to);
    // A replica that does not reach the database decides by its cached state.
    if (!stretch || isTroubled(evidence, replica, begun - WITHIN_MS, ended, CATCH_UP_MS)) return [];
    return [{ operation, stretch }];
  });
  const late = judged
    .filter(({ operation: { answer } }) => field(answer, 'allowed') === true)
    .map(({ operation: { op, begun, replica, asked }, stretch: { from } }) => {
      return `${replica} allowed ${text(asked, subject)} (operation ${op}) ${Math.round(begun - from)} ms`;
    });
  return { examined: judged.length, late };
}
