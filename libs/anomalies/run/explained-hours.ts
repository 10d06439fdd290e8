import type { SqlTransaction, UsageActivity } from '#core';
import type { HourFinding } from '../detect/index.js';
import type { FoundAnomaly } from '../record/anomaly.js';

/**
 * Whether people with their own alarms cause at least half of an organization's usage in an hour. Those alarms are then
 * more specific than an alarm for the organization.
 */
export async function isExplained(
  activity: UsageActivity,
  tx: SqlTransaction,
  orgId: string,
  { at, metric, observed }: HourFinding,
  alarmed: ReadonlySet<string>,
): Promise<boolean> {
  if (alarmed.size === 0) return false;
  const usage = await activity.ofPeople(tx, orgId, [...alarmed], [new Date(at)]);
  let theirs = 0;
  for (const { requests, tokens, costUsd } of usage) theirs += { requests, tokens, cost_usd: costUsd }[metric];
  return theirs >= observed / 2;
}

/** The people with an alarm about a day that contains an instant. */
export function alarmedAt(found: readonly FoundAnomaly[], at: number): string[] {
  return found.flatMap(({ userId, windowStart, windowEnd }) =>
    userId !== null && windowStart.getTime() <= at && at < windowEnd.getTime() ? [userId] : [],
  );
}
