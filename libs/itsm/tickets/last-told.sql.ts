/**
 * SQL: the time of the last status of a ticket that came from its platform. Reports without a time count from their
 * arrival.
 */
export function lastToldAt(ticket: string): string {
  return `greatest(${ticket}.reported_at, ${ticket}.status_at)`;
}

/** SQL assignments: older reports than the last one of another row of the same ticket are outdated for this row, too. */
export function asLastToldIn(other: string, row: string): string {
  return `reported_event = case when ${other}.reported_at > ${row}.reported_at or ${row}.reported_at is null
    then ${other}.reported_event else ${row}.reported_event end,
  reported_at = greatest(${row}.reported_at, ${other}.reported_at)`;
}
