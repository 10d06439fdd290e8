import type { ItsmOptions } from '../itsm.options.js';
import type { TicketStyle } from './compose-draft.js';

/** Applies defaults to the options of tickets. */
export function styleOf({ serviceName = 'Service', ...urls }: ItsmOptions): TicketStyle {
  return { serviceName, incidentsUrl: incidentsUrlOf(urls) };
}

/** Incidents in the dashboard if its address is known; otherwise in the API. */
function incidentsUrlOf({ dashboardUrl, publicUrl }: ItsmOptions): string | null {
  if (dashboardUrl !== undefined) return `${withoutSlash(dashboardUrl)}/incidents`;
  return publicUrl === undefined ? null : `${withoutSlash(publicUrl)}/v1/incidents`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
