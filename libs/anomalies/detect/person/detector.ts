import { shapeOf } from './day-shape.js';
import { type Episode, withSurprise } from './episode.js';
import type { Cohort } from './expectation.js';
import { type History, NO_HISTORY, pastOf, withDay } from './history.js';
import { type Finding, findingOf } from './rules.js';
import type { PersonSettings } from './settings.js';

/** The requests of one person on one day, so far: 24 counts, one for each local hour. */
export interface PersonDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly counts: readonly number[];
}

/** All that is kept of a person. Plain data, at most one small entry for each day of the window: it is stored as JSON. */
export interface PersonState {
  readonly history: History;
  readonly episode: Episode | null;
}

export const NEW_PERSON: PersonState = { history: NO_HISTORY, episode: null };

export interface PersonUpdate {
  readonly state: PersonState;
  /** From 0 to 1. An alarm starts above one half. */
  readonly score: number;
  /** Set where an episode begins or escalates. */
  readonly alarm?: Finding;
}

/**
 * Takes one day of a person into the state and judges it by the days before it. A day may be given again with other
 * counts (the same day later on, or a correction): the newest counts hold, and one episode alarms once.
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
