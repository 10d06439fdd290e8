import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import type { DecisionRow } from '../records/decision-row.js';
import type { RecordCompanion } from '../records/record-companion.js';
import { ApprovalHistory } from './approval-history.js';
import { ApprovalTerms } from './approval-terms.js';
import { Approval } from './approval.entity.js';
import { approvalKey } from './grants.js';

/** Decisions that wait for the same approval. */
interface Ask {
  readonly key: string;
  readonly id: string;
  readonly policyId: string;
  readonly policyName: string;
  readonly userId: string;
  readonly first: DecisionRow;
  readonly rows: DecisionRow[];
  last: string;
}

interface LiveRow {
  id: string;
  policy_id: string;
  user_id: string;
  model: string;
  status: 'pending' | 'approved';
  ends_ms: number | string;
}

// Locked in one order by everybody who asks. A request that somebody is deciding just now is read as it was decided.
const LOOK = `
select a.id, a.policy_id, a.user_id, a.model, a.status,
  (extract(epoch from a.expires_at) * 1000)::float8 as ends_ms
from ${SCHEMA}.approvals a
where a.org_id = $1 and a.status in ('pending', 'approved') and (a.policy_id, a.user_id, a.model) in (
  select w.policy_id, w.user_id, w.model from unnest($2::uuid[], $3::text[], $4::text[]) w (policy_id, user_id, model))
order by a.policy_id, a.user_id, a.model, a.id for no key update`;

const EXPIRE = `
update ${SCHEMA}.approvals a set status = 'expired' where a.org_id = $1 and a.id = any($2::uuid[])
returning a.*`;

// Whoever comes second finds the request of the first one; nothing is counted yet.
const OPEN = `
insert into ${SCHEMA}.approvals as a (org_id, id, policy_id, policy_name, user_id, user_email, provider, model, status,
  requests, requested_at, last_requested_at, expires_at)
select $1, n.id, n.policy_id, n.policy_name, n.user_id, n.user_email, n.provider, n.model, 'pending', 0, n.at, n.at,
  n.expires_at
from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[],
  $10::timestamptz[])
  as n (id, policy_id, policy_name, user_id, user_email, provider, model, at, expires_at)
order by n.policy_id, n.user_id, n.model
on conflict (org_id, policy_id, user_id, model) where status = 'pending' do update set status = a.status
returning id, policy_id, user_id, model`;

const COUNT = `
update ${SCHEMA}.approvals a set requests = a.requests + n.requests,
  last_requested_at = greatest(a.last_requested_at, n.at)
from unnest($2::uuid[], $3::bigint[], $4::timestamptz[]) as n (id, requests, at)
where a.org_id = $1 and a.id = n.id`;

const FORGET = `delete from ${SCHEMA}.approvals where org_id = $1 and id = any($2::uuid[]) and requests = 0`;

/** What the audit log is to tell of a record. */
interface Notes {
  opened?: { readonly id: string; readonly expiresAt: string } | undefined;
  readonly expired: readonly Approval[];
}

/**
 * Requests for approval, made and counted with the records of the decisions that wait for them. There is one pending
 * request per policy, person and model: a decision finds it, or opens it. Where somebody has granted it meanwhile, the
 * decision names that grant: the next one will be allowed.
 */
@Injectable()
export class ApprovalRequests implements RecordCompanion {
  /** By the first of the records that wait for the same approval. */
  private readonly notes = new WeakMap<DecisionRow, Notes>();

  constructor(
    private readonly terms: ApprovalTerms,
    private readonly history: ApprovalHistory,
  ) {}

  /** Gives each row the id of the approval that it waits for. */
  async prepare(em: EntityManager, orgId: string, rows: readonly DecisionRow[]): Promise<void> {
    const tx = sqlOf(em);
    const asks = asksOf(rows);
    const { ids, expired } = await this.live(em, orgId, asks);
    const missing = asks.filter(({ key }) => !ids.has(key));
    if (missing.length > 0) for (const [key, id] of await this.open(tx, orgId, missing)) ids.set(key, id);
    for (const { key, id, first, rows: waiting } of asks) {
      for (const row of waiting) row.approval_id = ids.get(key);
      const opened = ids.get(key) === id ? { id, expiresAt: this.endOf(first) } : undefined;
      const over = expired.filter(of => approvalKey(of.policyId, of.userId, of.model) === key);
      this.notes.set(first, { opened, expired: over });
    }
  }

  /** Counts the decisions that were written; a request that was opened for one that was not is taken away. */
  async complete(
    em: EntityManager,
    orgId: string,
    rows: readonly DecisionRow[],
    stored: ReadonlySet<string>,
  ): Promise<void> {
    const counts = new Map<string, { requests: number; at: string }>();
    for (const { id, approval_id: approvalId, occurred_at: at } of rows) {
      if (approvalId === undefined || !stored.has(id)) continue;
      const before = counts.get(approvalId);
      counts.set(approvalId, {
        requests: (before?.requests ?? 0) + 1,
        at: before && before.at > at ? before.at : at,
      });
    }
    const counted = [...counts];
    const tx = sqlOf(em);
    if (counted.length > 0) {
      await tx.query(COUNT, [
        orgId,
        plainArray(counted, ([id]) => id),
        plainArray(counted, ([, { requests }]) => requests),
        plainArray(counted, ([, { at }]) => at),
      ]);
    }
    const unused = new Set(rows.map(row => row.approval_id).filter(id => id !== undefined && !counts.has(id)));
    if (unused.size === 0) return;
    await tx.query(FORGET, [orgId, plainArray([...unused], id => id)]);
    for (const row of rows) {
      const notes = this.notes.get(row);
      if (notes?.opened && unused.has(notes.opened.id)) notes.opened = undefined;
    }
  }

  /** Has the audit log tell of requests that were opened, and of those that had expired before. */
  async conclude(em: EntityManager, orgId: string, rows: readonly DecisionRow[]): Promise<void> {
    for (const row of rows) {
      const notes = this.notes.get(row);
      if (!notes) continue;
      this.notes.delete(row);
      await this.history.expired(em, orgId, notes.expired);
      if (notes.opened) await this.history.opened(em, orgId, row, notes.opened);
    }
  }

  private async live(
    em: EntityManager,
    orgId: string,
    asks: readonly Ask[],
  ): Promise<{ ids: Map<string, string>; expired: Approval[] }> {
    const tx = sqlOf(em);
    const at = new Map(asks.map(({ key, last }) => [key, Date.parse(last)]));
    const rows = await tx.query<LiveRow>(LOOK, [
      orgId,
      plainArray(asks, ({ policyId }) => policyId),
      textArray(asks, ({ userId }) => userId),
      textArray(asks, ({ first }) => first.model),
    ]);
    const ids = new Map<string, string>();
    const over: string[] = [];
    for (const { id, policy_id: policyId, user_id: userId, model, status, ends_ms: end } of rows) {
      const key = approvalKey(policyId, userId, model);
      const isOver = Number(end) <= (at.get(key) ?? 0);
      if (isOver && status === 'pending') over.push(id);
      if (!isOver && (status === 'approved' || !ids.has(key))) ids.set(key, id);
    }
    if (over.length === 0) return { ids, expired: [] };
    const expired = await tx.query<Record<string, unknown>>(EXPIRE, [orgId, plainArray(over, id => id)]);
    return { ids, expired: expired.map(row => em.map(Approval, row)) };
  }

  private async open(tx: SqlTransaction, orgId: string, asks: readonly Ask[]): Promise<[string, string][]> {
    const opened = await tx.query<Pick<LiveRow, 'id' | 'policy_id' | 'user_id' | 'model'>>(OPEN, [
      orgId,
      plainArray(asks, ({ id }) => id),
      plainArray(asks, ({ policyId }) => policyId),
      textArray(asks, ({ policyName }) => policyName),
      textArray(asks, ({ userId }) => userId),
      textArray(asks, ({ first }) => first.user_email),
      textArray(asks, ({ first }) => first.provider),
      textArray(asks, ({ first }) => first.model),
      plainArray(asks, ({ first }) => first.occurred_at),
      plainArray(asks, ({ first }) => this.endOf(first)),
    ]);
    return opened.map(row => [approvalKey(row.policy_id, row.user_id, row.model), row.id]);
  }

  private endOf({ occurred_at: at }: DecisionRow): string {
    return this.terms.endOfRequest(new Date(at)).toISOString();
  }
}

function asksOf(rows: readonly DecisionRow[]): Ask[] {
  const asks = new Map<string, Ask>();
  for (const row of rows) {
    if (!row.awaits) continue;
    const { policyId, policyName, userId } = row.awaits;
    const key = approvalKey(policyId, userId, row.model);
    const ask = asks.get(key);
    if (!ask) {
      const id = newId(new Date(row.occurred_at));
      asks.set(key, { key, id, policyId, policyName, userId, first: row, rows: [row], last: row.occurred_at });
      continue;
    }
    ask.rows.push(row);
    if (row.occurred_at > ask.last) ask.last = row.occurred_at;
  }
  return [...asks.values()];
}
