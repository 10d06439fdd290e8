import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { granteeOf } from '../approvals/grants.js';
import { ApprovalRequests } from '../approvals/approval-requests.js';
import { canonicalJson, ConflictError, type SqlTransaction, UnavailableError } from '#core';
import type { Decision, DecisionInput } from './decision.js';
import { DecisionLog, type KeyedDecision } from './decision-log.js';
import { DecisionMetrics } from './decision-metrics.js';
import { DecisionRecorder } from './decision-recorder.js';
import { isChosen } from './decision-ids.js';
import type { DecisionRow } from './decision-row.js';
import type { Judgement } from './judge.js';
import { RecordKeeping } from './record-keeping.js';
import { violationsOf } from './violations.js';

/** The idempotency key has been used for another request. */
export class IdempotencyKeyReusedError extends ConflictError {
  constructor() {
    super('idempotency_key: has been used for another request; take a new one for each request.', [
      { field: 'idempotency_key', message: 'has been used for another request' },
    ]);
  }
}

/**
 * Enters decisions into the records: behind the answer, or before it where a key asks for one decision only or where a
 * violation is to be told of.
 */
@Injectable()
export class DecisionLedger {
  constructor(
    private readonly recorder: DecisionRecorder,
    private readonly log: DecisionLog,
    private readonly metrics: DecisionMetrics,
    private readonly approvals: ApprovalRequests,
    private readonly keeping: RecordKeeping,
  ) {
    metrics.watchWaiting(() => recorder.waitingRecords);
  }

  /** Undefined while another decision can be recorded; otherwise wait. @throws UnavailableError after five seconds */
  room(): Promise<void> | undefined {
    return this.recorder.room();
  }

  /** Enters a decision that gives cause for nothing; it is written within 50 ms, if it is to be recorded at all. */
  enter(orgId: string, input: DecisionInput, judgement: Judgement, decision: Decision): void {
    this.metrics.count(decision);
    const rate = this.keeping.rateOf(decision);
    if (isChosen(decision.id, rate)) this.recorder.record(orgId, rowOf(input, judgement, decision, rate));
    else this.metrics.countLeftOut(decision);
  }

  /**
   * Enters a decision together with the incidents of its violations and the request for the approval that it waits for,
   * and returns it when all is written.
   * @throws UnavailableError where it cannot be written
   */
  async enterNow(orgId: string, input: DecisionInput, judgement: Judgement, decision: Decision): Promise<Decision> {
    const row = rowOf(input, judgement, decision);
    const isNew = await this.record(orgId, row, input, judgement, decision);
    this.metrics.count(decision);
    // It was written before where nobody heard of the commit; another request may have been found since.
    if (judgement.awaits && !isNew) row.approval_id = (await this.log.get(orgId, decision.id)).approval_id;
    return withApproval(decision, row);
  }

  /**
   * Enters a decision under its idempotency key and waits until it is written. Whoever was first under the key, on any
   * replica, has made the decision; everybody else gets that one. The key holds as long as the record is kept.
   * @throws IdempotencyKeyReusedError where the first request was another one
   * @throws UnavailableError where the decision cannot be written
   */
  async enterOnce(orgId: string, input: DecisionInput, judgement: Judgement, decision: Decision): Promise<Decision> {
    const row = { ...rowOf(input, judgement, decision), request: input };
    if (await this.record(orgId, row, input, judgement, decision)) {
      this.metrics.count(decision);
      return withApproval(decision, row);
    }
    const first = await this.log.byKey(orgId, input.idempotency_key ?? '');
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return repeated(first, input);
  }

  /**
   * Enters a decision, its incidents and the request for the approval that it waits for in a running transaction of the
   * organization; undefined where its idempotency key was taken meanwhile.
   */
  async enterWithin(
    em: EntityManager,
    orgId: string,
    input: DecisionInput,
    judgement: Judgement,
    decision: Decision,
  ): Promise<Decision | undefined> {
    const isKeyed = input.idempotency_key !== undefined;
    const rate = isKeyed ? 1 : this.keeping.rateOf(decision);
    if (!isChosen(decision.id, rate)) {
      this.metrics.count(decision);
      this.metrics.countLeftOut(decision);
      return decision;
    }
    const row = { ...rowOf(input, judgement, decision, rate), request: isKeyed ? input : undefined };
    const violations = violationsOf(input, judgement, decision);
    const companion = judgement.awaits && this.approvals;
    // Where it was not the first, the caller undoes what was written so far.
    if (!(await this.recorder.recordWithin(em, orgId, { row, violations, companion }))) return undefined;
    this.metrics.count(decision);
    return withApproval(decision, row);
  }

  /**
   * Makes a decision in a running transaction, at most once per idempotency key. `make` answers undefined where the key
   * was taken after all; what it has written is undone then.
   * @throws IdempotencyKeyReusedError where the key belongs to another request
   */
  async onceWithin(
    tx: SqlTransaction,
    orgId: string,
    input: DecisionInput,
    make: () => Promise<Decision | undefined>,
  ): Promise<Decision> {
    const key = input.idempotency_key;
    const before = await this.byKeyWithin(tx, orgId, key);
    if (before) return repeated(before, input);
    await tx.query('savepoint governance_decision');
    const made = await make();
    if (made) {
      await tx.query('release savepoint governance_decision');
      return made;
    }
    await tx.query('rollback to savepoint governance_decision');
    const first = await this.byKeyWithin(tx, orgId, key);
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return repeated(first, input);
  }

  private record(
    orgId: string,
    row: DecisionRow,
    input: DecisionInput,
    judgement: Judgement,
    decision: Decision,
  ): Promise<boolean> {
    const violations = violationsOf(input, judgement, decision);
    return this.recorder.recordNow(orgId, row, violations, judgement.awaits && this.approvals);
  }

  private async byKeyWithin(
    tx: SqlTransaction,
    orgId: string,
    key: string | undefined,
  ): Promise<KeyedDecision | undefined> {
    const [first] = key === undefined ? [] : await this.log.byKeysWithin(tx, orgId, [key]);
    return first;
  }

  /**
   * The decisions that were made before under the keys of some requests, by key; keys that are new are missing.
   * @throws IdempotencyKeyReusedError where one of them was made for another request
   */
  async known(orgId: string, inputs: ReadonlyMap<string, DecisionInput>): Promise<Map<string, Decision>> {
    const decisions = new Map<string, Decision>();
    if (inputs.size === 0) return decisions;
    for (const first of await this.log.byKeys(orgId, [...inputs.keys()])) {
      const input = inputs.get(first.idempotency_key ?? '');
      if (input) decisions.set(first.idempotency_key ?? '', repeated(first, input));
    }
    return decisions;
  }
}

/** The decision once more. @throws IdempotencyKeyReusedError where it was made for another request */
function repeated(first: KeyedDecision, input: DecisionInput): Decision {
  if (canonicalJson(first.request) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
  const { id, action, allowed, reason, policies, approval_id, reservation, budgets, evaluated_at } = first;
  const approval = approval_id === undefined ? {} : { approval_id };
  const spend = { ...(reservation && { reservation }), ...(budgets && { budgets }) };
  return { id, action, allowed, reason, policies, ...approval, ...spend, evaluated_at };
}

/** The decision with the approval that its record names. */
function withApproval(decision: Decision, { approval_id }: DecisionRow): Decision {
  if (approval_id === undefined) return decision;
  const { evaluated_at, ...before } = decision;
  return { ...before, approval_id, evaluated_at };
}

/** The record of a decision. */
export function rowOf(input: DecisionInput, judgement: Judgement, decision: Decision, rate = 1): DecisionRow {
  const { subject, deviceStatus, awaits, policyRevision } = judgement;
  return {
    id: decision.id,
    occurred_at: decision.evaluated_at,
    user_id: subject.id?.toLowerCase(),
    user_email: subject.email ?? undefined,
    provider: input.provider,
    model: input.model,
    action: decision.action,
    allowed: decision.allowed,
    reason: decision.reason,
    policies: decision.policies,
    attributes: {
      // Conditions tell capital letters of an id apart; the column does not.
      ...(subject.id !== subject.id?.toLowerCase() && { user_id: subject.id }),
      name: subject.name,
      department: subject.department,
      role: subject.role,
      status: subject.status,
      attributes: subject.attributes,
      ...(deviceStatus && { device_id: input.device_id, device_status: deviceStatus }),
    },
    spend: spendOf(decision),
    idempotency_key: input.idempotency_key,
    policy_revision: policyRevision,
    sample_rate: rate,
    awaits: awaits && { policyId: awaits.id, policyName: awaits.name, userId: granteeOf(subject) },
  };
}

function spendOf({ reservation, budgets }: Decision): DecisionRow['spend'] {
  if (!reservation && !budgets) return undefined;
  return { ...(reservation && { reservation }), ...(budgets && { budgets }) };
}
