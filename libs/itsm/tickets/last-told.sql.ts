/**
 * SQL of the time of the last status that a ticket's platform has reported. A report without a time has the time of its
 * arrival.
 */
export function lastToldAt(ticket: string): string {
  return `greatest(${ticket}.reported_at, ${ticket}.status_at)`;
}

/**
 * SQL assignments that copy this time from another row of the same ticket. Reports that are outdated for that row are
 * then outdated for this row, too.
 */
export function asLastToldIn(other: string, row: string): string {
  return `reported_event = case when ${other}.reported_at > ${row}.reported_at or ${row}.reported_at is null
    then ${other}.reported_event else ${row}.reported_event end,
  reported_at = greatest(${row}.reported_at, ${other}.reported_at)`;
}
