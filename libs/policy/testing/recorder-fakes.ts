import type { Occurrence } from '#incidents';
import { PART_WEIGHT } from '../decide/policy-weight.js';
import type { DecisionRow } from '../records/decision-row.js';
import { weightOf } from '../records/record-weight.js';
import type { RecordEntry } from '../records/record-writer.js';

/** A database that stores the ids of written records, and fails on demand. */
export class FakeDatabase {
  readonly batches: { orgId: string; ids: string[] }[] = [];
  /** All statements that were run, including failed ones. */
  readonly statements: string[] = [];
  transactions = 0;
  /** Ids of records that already exist. */
  readonly known = new Set<string>();
  fault: ((ids: string[]) => Error | undefined) | undefined;
  /** Promises that delay the statements or the commits of an organization. */
  readonly slow = new Map<string, Promise<unknown>>();
  readonly slowCommit = new Map<string, Promise<unknown>>();
  lastWork: () => Promise<void> = async () => {};

  async transaction(orgId: string, work: (em: unknown) => Promise<unknown>): Promise<unknown> {
    this.transactions++;
    const written: { orgId: string; ids: string[] }[] = [];
    // The statement has one array parameter per column; the ids are the first.
    const executeQuery = async ({ sql, parameters }: { sql: string; parameters: [string, string] }) => {
      // Ignores the statement that counts hits.
      if (sql.includes('policy_hits')) return { rows: [] };
      this.statements.push(sql);
      // An array literal of UUIDs contains no escapes, so it can be split.
      const ids = parameters[1].slice(1, -1).replaceAll('"', '').split(',');
      const error = this.fault?.(ids);
      if (error) throw error;
      await this.slow.get(orgId);
      written.push({ orgId, ids });
      return { rows: ids.filter(id => !this.known.has(id)).map(id => ({ id })) };
    };
    const result = await work({ getKysely: () => ({ executeQuery }) });
    await this.slowCommit.get(orgId);
    this.batches.push(...written);
    return result;
  }

  beforeClose(work: () => Promise<void>): void {
    this.lastWork = work;
  }

  get ids(): string[] {
    return this.batches.flatMap(batch => batch.ids);
  }
}

/** Stores the violations of written records. */
export class FakeIncidents {
  readonly raised: Occurrence[] = [];

  async raise(_em: unknown, _orgId: string, occurrences: readonly Occurrence[]): Promise<void> {
    this.raised.push(...occurrences);
  }
}

/** A record of an allowed decision. */
export function row(id: string, idempotency_key?: string): DecisionRow {
  return {
    id,
    occurred_at: '2026-11-20T12:00:00.000Z',
    provider: 'p',
    model: 'm',
    action: 'allow',
    allowed: true,
    reason: 'no_policy_matched',
    policies: [],
    attributes: {},
    idempotency_key,
    sample_rate: 1,
  };
}

/** A violation. */
export const VIOLATION: Occurrence = {
  type: 'policy_violation',
  severity: 'high',
  userId: 'u',
  userEmail: null,
  policyId: 'p',
  provider: 'p',
  model: 'm',
  details: {},
  at: new Date('2026-11-20T12:00:00.000Z'),
  decisionId: '1',
  action: 'block',
  event: () => ({ type: 'ping', data: {} }),
};

/** A record to write, with its violations. */
export function entryFor(of: DecisionRow, violations: readonly Occurrence[] = []): RecordEntry {
  const written = of.policies.length * PART_WEIGHT;
  return { row: of, violations, weight: weightOf(of, violations.length, { held: 0, written, told: 0 }) };
}
