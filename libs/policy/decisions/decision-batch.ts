import { canonicalJson } from '#core';
import type { DecisionInput } from '../records/decision.js';
import { IdempotencyKeyReusedError } from '../records/repeated-decisions.js';

/**
 * The first request with each idempotency key.
 * @throws IdempotencyKeyReusedError if two different requests have the same key
 */
export function firstOfEachKey(inputs: readonly DecisionInput[]): Map<string, DecisionInput> {
  const firsts = new Map<string, DecisionInput>();
  for (const input of inputs) {
    if (input.idempotency_key === undefined) continue;
    const first = firsts.get(input.idempotency_key);
    if (!first) firsts.set(input.idempotency_key, input);
    else if (canonicalJson(first) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
  }
  return firsts;
}

/** The decision of a request of a batch; undefined if it failed. */
export function valueOf<T>(outcome: PromiseSettledResult<T> | undefined): T | undefined {
  return outcome?.status === 'fulfilled' ? outcome.value : undefined;
}

/** Why a request of a batch failed. */
export function reasonOf(outcome: PromiseSettledResult<unknown>): Error {
  const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
  return reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
}
