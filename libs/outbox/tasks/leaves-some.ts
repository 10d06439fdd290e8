import type { Allowances } from './slots.js';
import type { Claim } from './task-store.js';

/** If at least this many tasks are due, other workers may have locked some of them without claiming them. */
const BUSY = 4;

/**
 * Whether a claim may have left due tasks behind. If not, another claim before the next notification would find
 * nothing.
 */
export function leavesSome(claim: Claim, want: number, others: number, allowances: Allowances): boolean {
  const { tasks, isCutShort } = claim;
  if (isCutShort || tasks.length >= Math.min(want, BUSY)) return true;
  for (const free of allowances.values()) if (free === 0) return true;
  const given = Map.groupBy(tasks, task => task.key);
  return [...given].some(([key, { length }]) => length >= (allowances.get(key) ?? others));
}
