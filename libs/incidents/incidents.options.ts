import { option } from '#core';

/** How incidents are raised. */
export interface IncidentsOptions {
  /**
   * Minutes without an occurrence after which an unresolved incident ends. The next occurrence opens a new incident,
   * which names the old one. From 1 to 525,600. Default: 60.
   */
  windowMinutes?: number;
}

/** Injection token of {@link IncidentsOptions}. */
export const INCIDENTS_OPTIONS = Symbol('governance.incidents-options');

/** What the options may be. */
export const INCIDENTS_RULES = { windowMinutes: option.whole(1, 525_600) } satisfies option.RulesOf<IncidentsOptions>;
