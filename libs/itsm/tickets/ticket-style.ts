import { dashboardOf, type ItsmOptions } from '../itsm.options.js';
import type { TicketStyle } from './compose-draft.js';

/** Applies defaults to the options of tickets. */
export function styleOf(options: ItsmOptions): TicketStyle {
  const dashboard = dashboardOf(options);
  return { serviceName: options.serviceName ?? 'Service', incidentsUrl: dashboard && `${dashboard}/incidents` };
}
