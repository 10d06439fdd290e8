import { option } from '#core';

/** Options of incidents. */
export interface IncidentsOptions {
  /**
   * Minutes without an occurrence after which an unresolved incident is considered over. The next occurrence opens a
   * new incident, which refers to the old one. From 1 to 525,600. Default: 60.
   */
  windowMinutes?: number;
  /**
   * Days for which resolved incidents are kept, from 30 to 36,500. Open incidents are not deleted. Default: forever.
   */
  retentionDays?: number;
}

/** Injection token of {@link IncidentsOptions}. */
export const INCIDENTS_OPTIONS = Symbol('governance.incidents-options');

/** Rules of {@link IncidentsOptions}. */
export const INCIDENTS_RULES = {
  windowMinutes: option.whole(1, 525_600),
  retentionDays: option.whole(30, 36_500, ' (leave it out to keep incidents forever)'),
} satisfies option.RulesOf<IncidentsOptions>;
