import { option } from '#core';

/** Options of incidents. */
export interface IncidentsOptions {
  /**
   * Minutes without an occurrence after which an unresolved incident ends. The next occurrence opens a new incident,
   * which names the old one. From 1 to 525,600. Default: 60.
   */
  windowMinutes?: number;
}

/** Injection token of {@link IncidentsOptions}. */
export const INCIDENTS_OPTIONS = Symbol('governance.incidents-options');

/** Rules of {@link IncidentsOptions}. */
export const INCIDENTS_RULES = { windowMinutes: option.whole(1, 525_600) } satisfies option.RulesOf<IncidentsOptions>;
