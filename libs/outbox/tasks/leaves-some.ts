import type { Allowances } from './slots.js';
import type { Claim } from './task-store.js';

/** Where so many are due at once, other workers may have locked some that they do not take. */
const BUSY = 4;

/**
 * Whether a claim may have left something that is due. Where it has not, another one finds nothing until somebody tells
 * of something new.
 */
export function leavesSome(claim: Claim, want: number, others: number, allowances: Allowances): boolean {
  const { tasks, isCutShort } = claim;
  if (isCutShort || tasks.length >= Math.min(want, BUSY)) return true;
  for (const free of allowances.values()) if (free === 0) return true;
  const given = Map.groupBy(tasks, task => task.key);
  return [...given].some(([key, { length }]) => length >= (allowances.get(key) ?? others));
}
