import type { PersonSettings } from './settings.js';

/** A run of unusual days that alarms once. */
export interface Episode {
  /** The newest day with a surprise. */
  readonly day: number;
  /** The strongest surprise so far. */
  readonly strength: number;
}

/**
 * Adds the surprise of one day to the running episode, or begins a new one. Alarms if an episode begins, or if a later
 * day far exceeds the strongest surprise so far.
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
