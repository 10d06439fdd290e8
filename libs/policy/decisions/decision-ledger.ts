import { Injectable } from '@nestjs/common';
import { canonicalJson, ConflictError, UnavailableError } from '#core';
import type { Decision, DecisionInput } from './decision.js';
import { DecisionLog, type KeyedDecision } from './decision-log.js';
import { DecisionMetrics } from './decision-metrics.js';
import { DecisionRecorder } from './decision-recorder.js';
import type { DecisionRow } from './decision-row.js';
import type { Judgement } from './judge.js';
import { violationEvents } from './violation-events.js';

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
  ) {
    metrics.watchWaiting(() => recorder.waitingRecords);
  }

  /** Undefined while another decision can be recorded; otherwise wait. @throws UnavailableError after five seconds */
  room(): Promise<void> | undefined {
    return this.recorder.room();
  }

  /** Enters a decision that gives cause for nothing; it is written within 50 ms. */
  enter(orgId: string, input: DecisionInput, judgement: Judgement, decision: Decision): void {
    this.metrics.count(decision);
    this.recorder.record(orgId, rowOf(input, judgement, decision));
  }

  /**
   * Enters a decision together with the events of its violations, and waits until both are written.
   * @throws UnavailableError where they cannot be written
   */
  async enterViolation(orgId: string, input: DecisionInput, judgement: Judgement, decision: Decision): Promise<void> {
    await this.recorder.recordNow(
      orgId,
      rowOf(input, judgement, decision),
      violationEvents(input, judgement, decision),
    );
    this.metrics.count(decision);
  }

  /**
   * Enters a decision under its idempotency key and waits until it is written. Whoever was first under the key, on any
   * replica, has made the decision; everybody else gets that one. The key holds as long as the record is kept.
   * @throws IdempotencyKeyReusedError where the first request was another one
   * @throws UnavailableError where the decision cannot be written
   */
  async enterOnce(orgId: string, input: DecisionInput, judgement: Judgement, decision: Decision): Promise<Decision> {
    const row = rowOf(input, judgement, decision);
    const events = violationEvents(input, judgement, decision);
    if (await this.recorder.recordNow(orgId, { ...row, request: input }, events)) {
      this.metrics.count(decision);
      return decision;
    }
    const first = await this.log.byKey(orgId, input.idempotency_key ?? '');
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return repeated(first, input);
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
  const { id, action, allowed, reason, policies, evaluated_at } = first;
  return { id, action, allowed, reason, policies, evaluated_at };
}

function rowOf(input: DecisionInput, { subject }: Judgement, decision: Decision): DecisionRow {
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
      name: subject.name,
      department: subject.department,
      role: subject.role,
      status: subject.status,
      attributes: subject.attributes,
    },
    idempotency_key: input.idempotency_key,
  };
}
