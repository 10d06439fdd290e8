import { Injectable } from '@nestjs/common';
import { canonicalJson, Clock, newId } from '#core';
import { approvalKey, granteeOf } from '../decide/grants.js';
import type { Decision, DecisionInput } from '../records/decision.js';
import type { DecisionLedger } from '../decisions/decision-ledger.js';
import type { MadeDecision } from '../decisions/record-entry.js';
import { violationsOf } from '../decisions/violations.js';
import { IdempotencyKeyReusedError, type RepeatedDecisions } from '../records/repeated-decisions.js';
import { PolicyMemory } from './policy-memory.port.js';

/** Records decisions in memory, once per idempotency key. */
@Injectable()
export class LedgerInMemory
  implements Pick<DecisionLedger, 'room' | 'queueRecord' | 'recordAll'>, Pick<RepeatedDecisions, 'of'>
{
  private readonly ids = new Set<string>();
  private readonly byKey = new Map<string, { input: DecisionInput; decision: Decision }>();
  private readonly approvals = new Map<string, string>();

  constructor(
    private readonly memory: PolicyMemory,
    private readonly clock: Clock,
  ) {}

  room(): undefined {
    return undefined;
  }

  queueRecord(orgId: string, { input, judgement, decision }: MadeDecision): void {
    this.ids.add(keyOf(orgId, decision.id));
    if (input.idempotency_key !== undefined) this.byKey.set(keyOf(orgId, input.idempotency_key), { input, decision });
    this.memory.decided(orgId, input, decision);
    const violations = violationsOf(input, judgement, decision);
    for (const violation of violations.slice(0, violations.length)) this.memory.violated(orgId, violation);
  }

  async recordAll(orgId: string, made: readonly MadeDecision[]): Promise<PromiseSettledResult<Decision>[]> {
    return made.map(one => {
      const value = this.withApproval(orgId, one);
      this.queueRecord(orgId, { ...one, decision: value });
      return { status: 'fulfilled', value };
    });
  }

  async of(orgId: string, inputs: ReadonlyMap<string, DecisionInput>): Promise<Map<string, Decision>> {
    const decisions = new Map<string, Decision>();
    for (const [key, input] of inputs) {
      const first = this.byKey.get(keyOf(orgId, key));
      if (!first) continue;
      if (canonicalJson(first.input) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
      decisions.set(key, first.decision);
    }
    return decisions;
  }

  /** Whether a decision with this id was made. */
  has(orgId: string, decisionId: string): boolean {
    return this.ids.has(keyOf(orgId, decisionId));
  }

  /** The decision with the approval for which it waits. There is one approval for each policy, person and model. */
  private withApproval(orgId: string, { input, judgement, decision }: MadeDecision): Decision {
    if (!judgement.approvalPolicy) return decision;
    const about = keyOf(orgId, approvalKey(judgement.approvalPolicy.id, granteeOf(judgement.subject), input.model));
    const id = this.approvals.get(about) ?? newId(this.clock.now());
    this.approvals.set(about, id);
    return { ...decision, approval_id: id };
  }
}

function keyOf(orgId: string, key: string): string {
  return `${orgId}\0${key}`;
}
