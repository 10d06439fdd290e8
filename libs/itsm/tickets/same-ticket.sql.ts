/**
 * SQL: whether two tickets of one connector are one on the platform. If people moved it, one of the two may still have its
 * former name.
 */
export function isSameTicket(a: string, b: string): string {
  return `(${a}.external_ticket_id = ${b}.external_ticket_id or ${a}.platform_id = ${b}.platform_id)`;
}
