import type { PersonSettings } from './settings.js';

/** A run of unusual days that alarms once. */
export interface Episode {
  /** The newest day with a surprise. */
  readonly day: number;
  /** The strongest surprise so far. */
  readonly strength: number;
}

/**
 * Counts a surprise of one day in the running episode, or begins the next one. It alarms where an episode begins, and
 * where a later day exceeds the strongest surprise so far by far.
 */
export function withSurprise(
  episode: Episode | null,
  day: number,
  strength: number,
  { quietDays, escalation }: PersonSettings,
): { readonly episode: Episode; readonly alarms: boolean } {
  const running = episode !== null && Math.abs(day - episode.day) <= quietDays;
  const peak = running ? episode.strength : 0;
  const grown = running && day > episode.day && strength > escalation * peak;
  return {
    episode: { day: Math.max(day, episode?.day ?? day), strength: Math.max(peak, strength) },
    alarms: !running || grown,
  };
}
