/**
 * SQL condition: two rows of one connector stand for the same ticket on the platform. If the ticket was renamed, one of
 * the rows may still have the former name.
 */
export function isSameTicket(a: string, b: string): string {
  return `(${a}.external_ticket_id = ${b}.external_ticket_id or ${a}.platform_id = ${b}.platform_id)`;
}
