import type { Take } from './limit-share.js';

/** Limits that have no room for a request, and the number of milliseconds after which they may have room again. */
export interface LimitRefusal {
  readonly limits: readonly { readonly id: string; readonly name: string }[];
  readonly retryAfterMs: number;
}

/** Repeats a recent refusal from memory, without querying the database. */
export function refusalOf(takes: readonly Take[], now: number): LimitRefusal | undefined {
  let refusal: { limits: { id: string; name: string }[]; retryAfterMs: number } | undefined;
  for (const { share, tokens } of takes) {
    const wait = share.refused(tokens, now);
    if (wait === undefined) continue;
    refusal ??= { limits: [], retryAfterMs: 0 };
    refusal.limits.push({ id: share.limit.id, name: share.limit.name });
    refusal.retryAfterMs = Math.max(refusal.retryAfterMs, wait);
  }
  return refusal;
}
