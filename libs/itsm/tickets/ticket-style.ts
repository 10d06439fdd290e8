import type { ItsmOptions } from '../itsm.options.js';
import type { TicketStyle } from './compose-draft.js';

/** Applies defaults to the options of tickets. */
export function styleOf({ serviceName = 'Service', publicUrl }: ItsmOptions): TicketStyle {
  return { serviceName, publicUrl: publicUrl?.replace(/\/+$/, '') ?? null };
}
