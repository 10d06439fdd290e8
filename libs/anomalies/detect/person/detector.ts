import { shapeOf } from './day-shape.js';
import { type Episode, withSurprise } from './episode.js';
import type { Cohort } from './expectation.js';
import { type History, NO_HISTORY, pastOf, withDay } from './history.js';
import { type Finding, findingOf } from './rules.js';
import type { PersonSettings } from './settings.js';

/** The requests of one person on one day so far: 24 counts, one per local hour. */
export interface PersonDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly counts: readonly number[];
}

/** The state of a person: plain data, stored as JSON, with at most one small entry per day of the window. */
export interface PersonState {
  readonly history: History;
  readonly episode: Episode | null;
}

export const NEW_PERSON: PersonState = { history: NO_HISTORY, episode: null };

export interface PersonUpdate {
  readonly state: PersonState;
  /** From 0 to 1. Scores above one half raise an alarm. */
  readonly score: number;
  /** Set if the day starts an episode or escalates it. */
  readonly alarm?: Finding;
}

/**
 * Adds one day of a person to the state and compares it with earlier days. The same day may be added again with other
 * counts, later on that day or after a correction. The newest counts replace the former ones, and one episode raises
 * one alarm.
 */
export function updatePerson(
  state: PersonState,
  today: PersonDay,
  cohort: Cohort,
  settings: PersonSettings,
): PersonUpdate {
  const shape = shapeOf(today.day, today.counts);
  const past = pastOf(state.history, today.day, settings.windowDays);
  const finding = findingOf(shape, past, cohort, settings);
  const history = withDay(state.history, shape, settings.windowDays);
  if (finding === undefined) return { state: { ...state, history }, score: 0 };

  const { episode, alarms } = withSurprise(state.episode, today.day, finding.strength, settings);
  return {
    state: { history, episode },
    score: 1 - 0.5 ** finding.strength,
    ...(alarms ? { alarm: finding } : {}),
  };
}
