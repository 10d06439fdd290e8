import type { Rule } from './rule.js';
import { field, ofKind, text, type Evidence } from './evidence.js';

/** During a fault, requests may be refused but must not fail. */
const EXPECTED: Readonly<Record<string, readonly number[]>> = {
  // 409: another client, or an earlier request whose answer was lost, may already have made the same change.
  approve: [200, 409],
  revoke: [200, 409],
  offboard: [200, 409],
  reinstate: [200, 409],
  foreign: [200, 404],
  // 404: a decision is recorded after its answer. Until then, a repeated release finds neither reservation nor record.
  release: [200, 404],
  // 403 and 429 come from the users' policies and budgets, 502 and 504 from the provider.
  gateway: [200, 403, 429, 502, 504],
};

const PROPER: Rule = {
  name: 'no request fails',
  check: ({ operations }) => {
    const answered = operations.filter(({ status }) => status !== undefined && status !== 503);
    const violations = answered
      .filter(({ what, status = 0 }) => !(EXPECTED[what] ?? [200]).includes(status))
      .map(
        ({ op, what, status, answer }) => `operation ${op} (${what}) was answered ${status}: ${text(answer, 'said')}`,
      );
    return { examined: answered.length, violations };
  },
};

/** The token of another organization must not reach any user or decision of this one. */
const APART: Rule = {
  name: 'organizations are kept apart',
  check: evidence => {
    const answered = ofKind(evidence, 'foreign').filter(({ status }) => status !== undefined && status !== 503);
    const reached = answered.filter(({ status, answer }) => {
      if (status !== 200) return false;
      return (
        field(answer, 'allowed') === true || (field(answer, 'accepted') !== 0 && field(answer, 'allowed') === null)
      );
    });
    return {
      examined: answered.length,
      violations: reached.map(
        ({ op, asked, answer }) =>
          `operation ${op}: another organization reached ${text(asked, 'user')}: ${JSON.stringify(answer)}`,
      ),
    };
  },
};

const AUDIT: Rule = {
  name: 'the audit chain is whole',
  check: ({ stock: { audit } }) => ({
    examined: 1,
    violations: audit.code === 0 ? [] : [`audit verify ended with ${audit.code}: ${audit.said.trim()}`],
  }),
};

/** Every acknowledged change is in the audit log. */
const AUDITED: Rule = {
  name: 'acknowledged changes are in the audit log',
  check: async evidence => {
    const rows = await evidence.rows<{ action: string; resource_id: string; n: number }>(
      'select action, resource_id, count(*)::int as n from governance.audit_log where org_id = $1 group by 1, 2',
    );
    const written = new Map(rows.map(({ action, resource_id: id, n }) => [`${action} ${id}`, n]));
    const acknowledged = new Map<string, number>();
    for (const [what, action, subject] of CHANGES) {
      for (const { status, asked } of ofKind(evidence, what)) {
        const key = `${action} ${text(asked, subject)}`;
        if (status === 200) acknowledged.set(key, (acknowledged.get(key) ?? 0) + 1);
      }
    }
    const violations = [...acknowledged]
      .filter(([key, n]) => (written.get(key) ?? 0) < n)
      .map(([key, n]) => `${key}: ${n} were acknowledged, and ${written.get(key) ?? 0} are written`);
    return { examined: [...acknowledged.values()].reduce((sum, n) => sum + n, 0), violations };
  },
};

const CHANGES = [
  ['offboard', 'user.suspended', 'user'],
  ['reinstate', 'user.reinstated', 'user'],
  ['approve', 'approval.approved', 'approval'],
  ['revoke', 'approval.revoked', 'approval'],
] as const;

const ENDED: Rule = {
  name: 'background work comes to its end',
  check: async ({ stock: { left }, rows }) => {
    const dead = await rows<{ queue: string; fault: string }>(
      'select queue, fault from governance.tasks where org_id = $1 and quarantined_at is not null',
    );
    return {
      examined: 1,
      violations: [...left, ...dead.map(({ queue, fault }) => `dead letter of ${queue}: ${fault}`)],
    };
  },
};

export const ANSWER_RULES: readonly Rule[] = [ENDED, PROPER, APART, AUDIT, AUDITED];

/** Whether a replica, the database or the machine itself had a fault at a time. */
export function isTroubled(
  { incidents }: Evidence,
  replica: string,
  from: number,
  to: number,
  afterMs: number,
): boolean {
  return incidents.some(
    ({ at, begun, ended }) => [replica, 'database', 'machine'].includes(at) && begun < to && ended + afterMs > from,
  );
}
