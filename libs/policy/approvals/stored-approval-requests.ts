import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { ApprovalRequests, type AttachedApprovals, type AwaitingRow } from '../records/approval-requests.port.js';
import { ApprovalHistory } from './approval-history.js';
import { ApprovalTerms } from './approval-terms.js';
import { Approval } from './approval.entity.js';
import { approvalKey } from '../decide/grants.js';

/** Decisions of one transaction that wait for the same approval. */
interface Ask {
  readonly key: string;
  readonly id: string;
  readonly policyId: string;
  readonly policyName: string;
  readonly userId: string;
  readonly first: AwaitingRow;
  readonly rows: AwaitingRow[];
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

// All transactions lock approvals in the same order. If an approver is deciding about the request, the statement waits
// for the lock and then reads the result.
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

// If two transactions open the same request, the second one gets the row of the first. The waiting decisions are
// counted later.
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

/** The approvals that the decision records of one transaction refer to. */
interface Attached {
  readonly asks: readonly Ask[];
  /** Approval ids by the id of the decision record. */
  readonly ids: ReadonlyMap<string, string>;
  /** Ids of the approvals that were opened. */
  readonly opened: ReadonlySet<string>;
  readonly expired: readonly Approval[];
}

/**
 * Opens and counts requests for approval, in the transaction of the decision records that wait for them. There is one
 * pending request per policy, person and model. A decision uses the existing request or opens a new one. If the request
 * was approved in the meantime, the decision refers to that grant, and the next decision is allowed.
 */
@Injectable()
export class StoredApprovalRequests extends ApprovalRequests {
  constructor(
    private readonly terms: ApprovalTerms,
    private readonly history: ApprovalHistory,
  ) {
    super();
  }

  override async attach(em: EntityManager, orgId: string, rows: readonly AwaitingRow[]): Promise<AttachedApprovals> {
    const asks = asksOf(rows);
    const { ids: byKey, expired } = await this.live(em, orgId, asks);
    const missing = asks.filter(({ key }) => !byKey.has(key));
    if (missing.length > 0) for (const [key, id] of await this.open(sqlOf(em), orgId, missing)) byKey.set(key, id);
    const opened = new Set(asks.filter(({ key, id }) => byKey.get(key) === id).map(({ id }) => id));
    const ids = new Map<string, string>();
    for (const { key, rows: waiting } of asks) {
      const approvalId = byKey.get(key);
      if (approvalId !== undefined) for (const { id } of waiting) ids.set(id, approvalId);
    }
    return { ids, conclude: stored => this.conclude(em, orgId, { asks, ids, opened, expired }, stored) };
  }

  /** Counts the decisions that were stored. Deletes requests that were opened for decisions that were not stored. */
  private async conclude(
    em: EntityManager,
    orgId: string,
    { asks, ids, opened, expired }: Attached,
    stored: Pick<ReadonlySet<string>, 'has'>,
  ): Promise<void> {
    const counts = countsOf(asks, ids, stored);
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
    const unused = [...new Set(ids.values())].filter(id => !counts.has(id));
    if (unused.length > 0) await tx.query(FORGET, [orgId, plainArray(unused, id => id)]);
    for (const { key, id, first } of asks) {
      const over = expired.filter(of => approvalKey(of.policyId, of.userId, of.model) === key);
      await this.history.expired(em, orgId, over);
      if (opened.has(id) && counts.has(id)) {
        await this.history.opened(em, orgId, first, { id, expiresAt: this.endOf(first) });
      }
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

  private endOf({ occurred_at: at }: AwaitingRow): string {
    return this.terms.endOfRequest(new Date(at)).toISOString();
  }
}

/** For each approval, the number of stored decisions that wait for it, and the time of the last one. */
function countsOf(
  asks: readonly Ask[],
  ids: ReadonlyMap<string, string>,
  stored: Pick<ReadonlySet<string>, 'has'>,
): Map<string, { requests: number; at: string }> {
  const counts = new Map<string, { requests: number; at: string }>();
  for (const { id, occurred_at: at } of asks.flatMap(({ rows }) => rows)) {
    const approvalId = ids.get(id);
    if (approvalId === undefined || !stored.has(id)) continue;
    const before = counts.get(approvalId);
    counts.set(approvalId, { requests: (before?.requests ?? 0) + 1, at: before && before.at > at ? before.at : at });
  }
  return counts;
}

function asksOf(rows: readonly AwaitingRow[]): Ask[] {
  const asks = new Map<string, Ask>();
  for (const row of rows) {
    const { policyId, policyName, userId } = row.requiredApproval;
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
