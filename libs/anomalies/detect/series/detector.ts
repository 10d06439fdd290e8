import { type Average, averaged, NO_AVERAGE } from './average.js';
import { type Band, excess, NO_BAND, widened } from './band.js';
import { NO_SEASON, type Season, seasoned, slotsAt } from './season.js';
import type { SeriesSettings } from './settings.js';
import { SERIES_RULES, type SeriesRule, type View, viewsOf } from './views.js';

/** One value of a regular series, at milliseconds since the epoch. */
export interface SeriesPoint {
  readonly at: number;
  readonly value: number;
}

/** The state of a series. Plain data of constant size, stored as JSON. */
export interface SeriesState {
  /** The time of the newest point, and the shortest distance between two points. Null until there are enough points. */
  readonly lastAt: number | null;
  readonly stepMs: number | null;
  readonly short: Average;
  readonly medium: Average;
  readonly long: Average;
  readonly history: Average;
  readonly season: Season;
  readonly bands: readonly Band[];
  /** The strongest recent surprise (score of an unusual point). */
  readonly peak: number;
  /** Number of points since the last surprise in the current episode. Null if there is no episode. */
  readonly quiet: number | null;
}

/** Why a point is an anomaly. */
export interface SeriesAlarm {
  readonly rule: SeriesRule;
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
}

export interface SeriesUpdate {
  readonly state: SeriesState;
  /** From 0 (usual) to 1. Scores from one half raise an alarm. */
  readonly score: number;
  /** Set on the first point of an episode only. */
  readonly alarm?: SeriesAlarm;
}

export const NEW_SERIES: SeriesState = {
  lastAt: null,
  stepMs: null,
  short: NO_AVERAGE,
  medium: NO_AVERAGE,
  long: NO_AVERAGE,
  history: NO_AVERAGE,
  season: NO_SEASON,
  bands: Object.keys(SERIES_RULES).map(() => NO_BAND),
  peak: 0,
  quiet: null,
};

const DAY = 86_400_000;
/** Steepness of the curve that maps an excess to a surprise from 0 to 1. */
const STEEPNESS = 3;
/** Maximum score of further points of an episode, below the score of an alarm. */
const WITHIN_EPISODE = 0.49;

/**
 * Adds one point to the state and scores it by earlier points only. Running time and size of the state do not depend on
 * the length of the history. A late point (older than the newest) changes the usual values of its hour but gets no
 * score.
 */
export function updateSeries(state: SeriesState, point: SeriesPoint, settings: SeriesSettings): SeriesUpdate {
  const { at, value } = point;
  const season = seasoned(state.season, at, value, settings);
  if (state.lastAt !== null && at < state.lastAt) return { state: { ...state, season }, score: 0 };

  const elapsed = state.lastAt === null ? 0 : at - state.lastAt;
  const resumed = state.stepMs !== null && elapsed > settings.gapSteps * state.stepMs;
  const before = resumed ? { short: NO_AVERAGE, medium: NO_AVERAGE, long: NO_AVERAGE } : state;
  const short = averaged(before.short, value, settings.short);
  const medium = averaged(before.medium, value, settings.medium);
  const long = averaged(before.long, value, settings.long);
  const views = viewsOf({
    ...{ value, short, medium, long, ...slotsAt(state.season, at) },
    spread: Math.sqrt(state.history.variance),
    fallback: before.medium.count > 0 ? before.medium.mean : value,
  });

  const fading = 1 - 0.5 ** (elapsed / (settings.memoryDays * DAY));
  const judged = judge(state.bands, views, settings);
  const net = Math.max(0, judged.surprise - settings.damping * state.peak);
  const strength = 1 - 0.5 ** (net / surpriseOf(settings.sensitivity));
  const episode = episodeAfter(state.quiet, strength >= 0.5, settings);
  const score = state.quiet === null ? strength : Math.min(strength, WITHIN_EPISODE);

  return {
    state: {
      lastAt: at,
      stepMs: elapsed > 0 ? Math.min(elapsed, state.stepMs ?? elapsed) : state.stepMs,
      ...{ short, medium, long, season },
      history: averaged(state.history, value, settings.history),
      bands: state.bands.map((band, index) => widened(band, statisticOf(views[index]), fading)),
      peak: Math.max(judged.surprise, state.peak * (1 - settings.recovery)),
      quiet: episode,
    },
    score,
    ...(score >= 0.5 && judged.alarm ? { alarm: judged.alarm } : {}),
  };
}

/** Combines the surprise of all comparisons. Names the simplest comparison that explains at least half of it. */
function judge(
  bands: readonly Band[],
  views: readonly View[],
  settings: SeriesSettings,
): { surprise: number; alarm?: SeriesAlarm } {
  const surprises = views.map((view, index) =>
    surpriseOf(excess(bands[index] ?? NO_BAND, statisticOf(view), settings.floor / view.scale, settings)),
  );
  const strongest = Math.max(...surprises);
  const ordinary = surprises.reduce((product, surprise) => product * (1 - settings.agreement * surprise), 1);
  const index = surprises.findIndex(surprise => surprise > 0 && surprise >= strongest / 2);
  const [view, band] = [views[index], bands[index]];
  if (view === undefined || band === undefined) return { surprise: 0 };
  const alarm = {
    rule: view.rule,
    observed: view.observed,
    expectedLow: view.base + band.low * view.scale,
    expectedHigh: view.base + band.high * view.scale,
  };
  return { surprise: Math.max(strongest, 1 - ordinary), alarm };
}

function statisticOf(view: View | undefined): number {
  return view === undefined ? 0 : (view.observed - view.base) / view.scale;
}

function surpriseOf(excessShare: number): number {
  return 1 - Math.exp(-STEEPNESS * excessShare);
}

function episodeAfter(quiet: number | null, surprised: boolean, settings: SeriesSettings): number | null {
  if (surprised) return 0;
  if (quiet === null || quiet + 1 >= settings.quietPoints) return null;
  return quiet + 1;
}
