/** How incidents are raised. */
export interface IncidentsOptions {
  /**
   * Minutes without an occurrence after which an incident that nobody has resolved counts as over: what comes then
   * opens another, which names it. From 1 to 525,600. Default: 60.
   */
  windowMinutes?: number;
}

/** Injection token of {@link IncidentsOptions}. */
export const INCIDENTS_OPTIONS = Symbol('governance.incidents-options');

const DEFAULT_WINDOW_MINUTES = 60;
const YEAR_MINUTES = 525_600;

/** The window of the options. @throws Error where it is not a whole number from 1 to 525,600 */
export function windowOf({ windowMinutes = DEFAULT_WINDOW_MINUTES }: IncidentsOptions): number {
  if (Number.isInteger(windowMinutes) && windowMinutes >= 1 && windowMinutes <= YEAR_MINUTES) return windowMinutes;
  throw new Error(`incidents.windowMinutes: must be a whole number from 1 to ${YEAR_MINUTES}, and is ${windowMinutes}`);
}
