import { Injectable } from '@nestjs/common';
import { canonicalJson, ConflictError, type SqlTransaction } from '#core';
import type { Decision, DecisionInput } from './decision.js';
import { DecisionLog, type KeyedDecision } from './decision-log.js';

/** The idempotency key was already used for another request. */
export class IdempotencyKeyReusedError extends ConflictError {
  constructor() {
    super('idempotency_key: was already used for another request; use a new key for each request.', [
      { field: 'idempotency_key', message: 'has been used for another request' },
    ]);
  }
}

/** Finds earlier decisions by idempotency key. They may have been made by any replica. */
@Injectable()
export class RepeatedDecisions {
  constructor(private readonly log: DecisionLog) {}

  /**
   * Earlier decisions for the keys of some requests, by key. Unused keys are omitted.
   * @throws IdempotencyKeyReusedError if one of these decisions was made for another request
   */
  async of(orgId: string, inputs: ReadonlyMap<string, DecisionInput>): Promise<Map<string, Decision>> {
    const decisions = new Map<string, Decision>();
    if (inputs.size === 0) return decisions;
    for (const first of await this.log.byKeys(orgId, [...inputs.keys()])) {
      const input = inputs.get(first.idempotency_key ?? '');
      if (input) decisions.set(first.idempotency_key ?? '', repeated(first, input));
    }
    return decisions;
  }

  /**
   * The earlier decision for the key of a request, as a running transaction of the organization sees it.
   * @throws IdempotencyKeyReusedError if the decision was made for another request
   */
  async within(tx: SqlTransaction, orgId: string, input: DecisionInput): Promise<Decision | undefined> {
    if (input.idempotency_key === undefined) return undefined;
    const [first] = await this.log.byKeysWithin(tx, orgId, [input.idempotency_key]);
    return first && repeated(first, input);
  }
}

/**
 * Returns the earlier decision.
 * @throws IdempotencyKeyReusedError if the decision was made for another request
 */
function repeated(first: KeyedDecision, input: DecisionInput): Decision {
  if (canonicalJson(first.request) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
  const { id, action, allowed, reason, policies, approval_id, evaluated_at } = first;
  const { reservation, budgets, limits, retry_after_ms } = first;
  return {
    ...{ id, action, allowed, reason, policies },
    ...(approval_id !== undefined && { approval_id }),
    ...(reservation && { reservation }),
    ...(budgets && { budgets }),
    ...(limits && { limits }),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
    evaluated_at,
  };
}
