import type { PersonSettings } from './settings.js';

/** A series of unusual days that raises one alarm. */
export interface Episode {
  /** The newest unusual day. */
  readonly day: number;
  /** The strength of the most unusual day so far. */
  readonly strength: number;
}

/**
 * Adds an unusual day to the current episode, or starts a new episode. Raises an alarm if an episode starts, or if the
 * day is far stronger than the strongest day of the episode so far.
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
