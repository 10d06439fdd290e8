import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { granteeOf } from '../approvals/grants.js';
import { ApprovalRequests } from '../approvals/approval-requests.js';
import { canonicalJson, ConflictError, type SqlTransaction, UnavailableError } from '#core';
import type { Decision, DecisionInput } from '../records/decision.js';
import { DecisionLog, type KeyedDecision } from '../records/decision-log.js';
import { DecisionMetrics } from './decision-metrics.js';
import { DecisionRecorder } from '../records/decision-recorder.js';
import { isChosen } from '../records/decision-ids.js';
import type { DecisionRow } from '../records/decision-row.js';
import type { Judgement } from './judge.js';
import { RecordKeeping } from '../records/record-keeping.js';
import type { RecordEntry } from '../records/record-writer.js';
import { violationsOf } from './violations.js';

/** The idempotency key has been used for another request. */
export class IdempotencyKeyReusedError extends ConflictError {
  constructor() {
    super('idempotency_key: has been used for another request; take a new one for each request.', [
      { field: 'idempotency_key', message: 'has been used for another request' },
    ]);
  }
}

/** A decision that is to be entered, with what it was made from. */
export interface MadeDecision {
  readonly input: DecisionInput;
  readonly judgement: Judgement;
  readonly decision: Decision;
}

const NONE: ReadonlySet<string> = new Set();

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

  /** Undefined while another decision of an organization can be recorded; otherwise wait. @throws UnavailableError after five seconds */
  room(orgId: string): Promise<void> | undefined {
    return this.recorder.room(orgId);
  }

  /** Enters a decision that nothing hangs on; it is written within 50 ms, if it is to be recorded at all. */
  enter(orgId: string, { input, judgement, decision }: MadeDecision): void {
    this.metrics.count(decision);
    const rate = this.keeping.rateOf(decision);
    if (isChosen(decision.id, rate)) this.recorder.record(orgId, rowOf(input, judgement, decision, rate));
    else this.metrics.countLeftOut(decision);
  }

  /**
   * Enters decisions together: those that are awaited all or none, with the incidents of their violations and the
   * requests for the approvals that they wait for, and when all is written the others. Tells what holds for each: whoever
   * was first under an idempotency key, on any replica, has made the decision, and everybody else gets that one. The key
   * holds as long as the record is kept. An outcome is an IdempotencyKeyReusedError where the first request was another.
   * @throws UnavailableError where they cannot be written: then none is, now or later
   * @throws RecordInDoubtError where that cannot be known
   */
  async enterAll(orgId: string, made: readonly MadeDecision[]): Promise<PromiseSettledResult<Decision>[]> {
    const rows = new Map<MadeDecision, DecisionRow>();
    for (const one of made) if (isAwaited(one)) rows.set(one, keyedRowOf(one));
    const entries = [...rows].map(([one, row]) => this.entryOf(one, row));
    const stored = entries.length === 0 ? NONE : await this.recorder.recordAllNow(orgId, entries);
    return Promise.allSettled(
      made.map(async one => {
        const row = rows.get(one);
        if (row) return this.entered(orgId, one, row, stored.has(row.id));
        this.enter(orgId, one);
        return one.decision;
      }),
    );
  }

  /**
   * Enters a decision, its incidents and the request for the approval that it waits for in a running transaction of the
   * organization; undefined where its idempotency key was taken meanwhile.
   */
  async enterWithin(em: EntityManager, orgId: string, made: MadeDecision): Promise<Decision | undefined> {
    const { input, decision } = made;
    const isKeyed = input.idempotency_key !== undefined;
    const rate = isKeyed ? 1 : this.keeping.rateOf(decision);
    if (!isChosen(decision.id, rate)) {
      this.metrics.count(decision);
      this.metrics.countLeftOut(decision);
      return decision;
    }
    const row = keyedRowOf(made, rate);
    // Where it was not the first, the caller undoes what was written so far.
    if (!(await this.recorder.recordWithin(em, orgId, this.entryOf(made, row)))) return undefined;
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

  private entryOf({ input, judgement, decision }: MadeDecision, row: DecisionRow): RecordEntry {
    const violations = violationsOf(input, judgement, decision);
    return { row, violations, companion: judgement.awaits && this.approvals };
  }

  /** What holds after a decision was written, or was found to be there. */
  private async entered(
    orgId: string,
    { input, judgement, decision }: MadeDecision,
    row: DecisionRow,
    isNew: boolean,
  ): Promise<Decision> {
    if (isNew || input.idempotency_key === undefined) {
      this.metrics.count(decision);
      // It was written before where nobody heard of the commit; another request may have been found since.
      if (judgement.awaits && !isNew) row.approval_id = (await this.log.get(orgId, decision.id)).approval_id;
      return withApproval(decision, row);
    }
    const first = await this.log.byKey(orgId, input.idempotency_key);
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return repeated(first, input);
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

/** Whether a decision is answered only when it is written: under a key, with violations, or waiting for an approval. */
export function isAwaited({ input, judgement }: MadeDecision): boolean {
  const isTold = judgement.violations.length > 0 || judgement.awaits !== undefined;
  return isTold || input.idempotency_key !== undefined;
}

/** The record, with the request where a key keeps it. */
function keyedRowOf({ input, judgement, decision }: MadeDecision, rate = 1): DecisionRow {
  const row = rowOf(input, judgement, decision, rate);
  return input.idempotency_key === undefined ? row : { ...row, request: input };
}

/** The decision once more. @throws IdempotencyKeyReusedError where it was made for another request */
function repeated(first: KeyedDecision, input: DecisionInput): Decision {
  if (canonicalJson(first.request) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
  const { id, action, allowed, reason, policies, approval_id, evaluated_at } = first;
  const approval = approval_id === undefined ? {} : { approval_id };
  return { id, action, allowed, reason, policies, ...approval, ...spendOf(first), evaluated_at };
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
      ...(input.project && { project: input.project }),
      ...(input.tags && { tags: input.tags }),
      ...(deviceStatus && { device_id: input.device_id, device_status: deviceStatus }),
    },
    spend: spendOf(decision),
    idempotency_key: input.idempotency_key,
    policy_revision: policyRevision,
    sample_rate: rate,
    awaits: awaits && { policyId: awaits.id, policyName: awaits.name, userId: granteeOf(subject) },
  };
}

function spendOf({
  reservation,
  budgets,
  limits,
  retry_after_ms,
}: Pick<Decision, 'reservation' | 'budgets' | 'limits' | 'retry_after_ms'>): DecisionRow['spend'] {
  if (limits) return { limits, ...(retry_after_ms !== undefined && { retry_after_ms }) };
  if (!reservation && !budgets) return undefined;
  return { ...(reservation && { reservation }), ...(budgets && { budgets }) };
}
