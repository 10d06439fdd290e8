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
import { entryOf, isAwaited, type MadeDecision } from './record-entry.js';

const NONE: StoredRecords = new Map();

/**
 * Enters decisions into the records: behind the answer, or before it where a key asks for one decision only or where a
 * violation is to be told of.
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

  /** Undefined while another decision of an organization can be recorded; otherwise wait. @throws UnavailableError after five seconds */
  room(orgId: string): Promise<void> | undefined {
    return this.recorder.room(orgId);
  }

  /** Enters a decision that nothing hangs on; it is written within 50 ms, if it is to be recorded at all. */
  enter(orgId: string, made: MadeDecision): void {
    const { decision } = made;
    this.metrics.count(decision);
    const rate = this.keeping.rateOf(decision);
    if (isChosen(decision.id, rate)) this.recorder.record(orgId, entryOf(made, rate));
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
    const entries = new Map<MadeDecision, RecordEntry>();
    for (const one of made) if (isAwaited(one)) entries.set(one, entryOf(one));
    const stored = entries.size === 0 ? NONE : await this.recorder.recordAllNow(orgId, [...entries.values()]);
    return Promise.allSettled(
      made.map(async one => {
        if (entries.has(one)) return this.entered(orgId, one, stored);
        this.enter(orgId, one);
        return one.decision;
      }),
    );
  }

  /**
   * Enters a decision, its incidents and the request for the approval that it waits for in a running transaction of the
   * organization; undefined where its idempotency key was taken meanwhile: then the caller undoes what was written.
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
    const row = await this.recorder.recordWithin(em, orgId, entryOf(made, rate));
    if (!row) return undefined;
    this.metrics.count(decision);
    return withApproval(decision, row.approval_id);
  }

  /** What holds after a decision was written, or was found to be there. */
  private async entered(orgId: string, made: MadeDecision, stored: StoredRecords): Promise<Decision> {
    const { input, judgement, decision } = made;
    const row = stored.get(decision.id);
    if (row || input.idempotency_key === undefined) {
      this.metrics.count(decision);
      if (!judgement.awaits) return decision;
      // It was written before where nobody heard of the commit; another request may have been found since.
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
