/**
 * SQL condition: two tickets of one connector are the same on the platform. If it was moved, one of the rows may still
 * have the former name.
 */
export function isSameTicket(a: string, b: string): string {
  return `(${a}.external_ticket_id = ${b}.external_ticket_id or ${a}.platform_id = ${b}.platform_id)`;
}
