// What can be stored, and ends in a count that a number holds exactly.
const COUNTED = /^([\x20-\x7e]{1,230}):(\d{1,15})$/;

/** The id of a report that ends in a colon and a count of changes; null for any other, which tells no order. */
export function countedEvent(eventId: string | undefined): string | null {
  return eventId !== undefined && COUNTED.test(eventId) ? eventId : null;
}

/**
 * Whether a report of the same moment came before another by the counts in their ids: `sys_id:sys_mod_count` of
 * ServiceNow, whose times are whole seconds, and issue and change of Jira. Ids that differ in more tell nothing.
 */
export function isEarlier(event: string | null, other: string | null): boolean {
  const [[, of, count], [, otherOf, otherCount]] = [COUNTED.exec(event ?? '') ?? [], COUNTED.exec(other ?? '') ?? []];
  return of !== undefined && of === otherOf && Number(count) < Number(otherCount);
}
