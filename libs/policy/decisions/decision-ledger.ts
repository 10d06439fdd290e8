import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UnavailableError } from '#core';
import type { Decision } from '../records/decision.js';
import { isChosen } from '../records/decision-ids.js';
import { DecisionLog } from '../records/decision-log.js';
import { DecisionRecorder } from '../records/decision-recorder.js';
import { RecordKeeping } from '../records/record-keeping.js';
import type { RecordEntry, StoredRecords } from '../records/record-writer.js';
import { RepeatedDecisions } from '../records/repeated-decisions.js';
import { DecisionMetrics } from './decision-metrics.js';
import { entryOf, isAwaited, notedOf, type MadeDecision } from './record-entry.js';

const NONE: StoredRecords = new Map();

/**
 * Records decisions. Most records are written after the response. A decision with an idempotency key, a violation or a
 * required approval is written before the response.
 */
@Injectable()
export class DecisionLedger {
  constructor(
    private readonly recorder: DecisionRecorder,
    private readonly log: DecisionLog,
    private readonly repeats: RepeatedDecisions,
    private readonly metrics: DecisionMetrics,
    private readonly keeping: RecordKeeping,
  ) {
    metrics.watchWaiting(() => recorder.waitingRecords);
  }

  /**
   * Undefined if the organization can record another decision now. Otherwise a promise that resolves when it can.
   * @throws UnavailableError after five seconds
   */
  room(orgId: string): Promise<void> | undefined {
    return this.recorder.room(orgId);
  }

  /**
   * Queues the record of a decision without consequences. If the decision is in the sample, its record is written
   * within 50 ms.
   */
  queueRecord(orgId: string, made: MadeDecision): void {
    const { decision } = made;
    this.metrics.count(decision);
    if (decision.allowed) this.recorder.recent.note(orgId, decision.id, notedOf(made));
    const rate = this.keeping.rateOf(decision);
    if (isChosen(decision.id, rate)) this.recorder.record(orgId, entryOf(made, rate));
    else this.metrics.countLeftOut(decision);
  }

  /**
   * Writes the records of a batch. Awaited decisions are written all or none, with the incidents of their violations
   * and their requests for approval. The other decisions are written after them. Returns the valid decision for each
   * request. If several requests have the same idempotency key, on any replica, the decision of the first one is valid
   * for all. A key is kept as long as its record. An outcome is an IdempotencyKeyReusedError if the first request had
   * other content.
   * @throws UnavailableError if they cannot be written; then none is written, now or later
   * @throws RecordInDoubtError if the connection was lost during the commit, so that the result is unknown
   */
  async recordAll(orgId: string, made: readonly MadeDecision[]): Promise<PromiseSettledResult<Decision>[]> {
    const entries = new Map<MadeDecision, RecordEntry>();
    for (const one of made) if (isAwaited(one)) entries.set(one, entryOf(one));
    const stored = entries.size === 0 ? NONE : await this.recorder.recordAllNow(orgId, [...entries.values()]);
    return Promise.allSettled(
      made.map(async one => {
        if (entries.has(one)) return this.answerAfterWrite(orgId, one, stored);
        this.queueRecord(orgId, one);
        return one.decision;
      }),
    );
  }

  /**
   * Writes a decision, its incidents and its request for approval in a running transaction of the organization.
   * Undefined if another request has taken the idempotency key in the meantime; the caller must then roll back.
   */
  async recordInTransaction(em: EntityManager, orgId: string, made: MadeDecision): Promise<Decision | undefined> {
    const { input, decision } = made;
    const isKeyed = input.idempotency_key !== undefined;
    const rate = isKeyed ? 1 : this.keeping.rateOf(decision);
    if (!isChosen(decision.id, rate)) {
      this.metrics.count(decision);
      this.metrics.countLeftOut(decision);
      return decision;
    }
    const row = await this.recorder.recordWithin(em, orgId, entryOf(made, rate));
    if (!row) return undefined;
    this.metrics.count(decision);
    return withApproval(decision, row.approval_id);
  }

  /** The valid decision after a write: the written one, or an earlier decision with the same key. */
  private async answerAfterWrite(orgId: string, made: MadeDecision, stored: StoredRecords): Promise<Decision> {
    const { input, judgement, decision } = made;
    const row = stored.get(decision.id);
    if (row || input.idempotency_key === undefined) {
      this.metrics.count(decision);
      if (!judgement.approvalPolicy) return decision;
      // The record exists if an earlier commit succeeded, but its confirmation was lost. Otherwise another request may
      // have taken the key since then.
      return withApproval(decision, (row ?? (await this.log.get(orgId, decision.id))).approval_id);
    }
    const first = (await this.repeats.of(orgId, new Map([[input.idempotency_key, input]]))).get(input.idempotency_key);
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return first;
  }
}

function withApproval(decision: Decision, approvalId: string | undefined): Decision {
  if (approvalId === undefined) return decision;
  const { evaluated_at, ...before } = decision;
  return { ...before, approval_id: approvalId, evaluated_at };
}
