import type { ItsmOptions } from '../itsm.options.js';
import type { TicketStyle } from './compose-draft.js';

/** The options of tickets, with their defaults. */
export function styleOf({ serviceName = 'Service', publicUrl }: ItsmOptions): TicketStyle {
  return { serviceName, publicUrl: publicUrl?.replace(/\/+$/, '') ?? null };
}
