import { SEVERITIES, type Severity } from '#core';
import type { Occurrence, OccurrenceGroup } from './occurrence.js';

/** The key of an incident. All of its occurrences have this key. */
export function keyOf({ type, policyId, userId, model }: Occurrence): string {
  return JSON.stringify([type, policyId, userId?.toLowerCase() ?? null, model]);
}

/** Groups occurrences by incident, in the order of their keys, so that all transactions lock rows in the same order. */
export function mergeOccurrences(occurrences: readonly Occurrence[]): Map<string, OccurrenceGroup> {
  const groups = new Map<string, OccurrenceGroup>();
  for (const occurrence of occurrences) {
    const key = keyOf(occurrence);
    const group = groups.get(key);
    groups.set(key, group ? joined(group, occurrence) : alone(occurrence));
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function alone(occurrence: Occurrence): OccurrenceGroup {
  return { first: occurrence, last: occurrence, severity: occurrence.severity, count: 1 };
}

function joined({ first, last, severity, count }: OccurrenceGroup, next: Occurrence): OccurrenceGroup {
  return {
    first: next.at < first.at ? next : first,
    last: next.at > last.at ? next : last,
    severity: worse(severity, next.severity),
    count: count + 1,
  };
}

function worse(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b;
}
