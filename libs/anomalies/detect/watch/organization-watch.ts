import { NEW_SERIES, updateSeries, type SeriesAlarm, type SeriesState } from '../series/detector.js';
import { SERIES_RULES } from '../series/views.js';
import { type Metric, METRICS, type OfEach, ofEach } from './figures.js';
import { isSmallHour, seriesSettings, type WatchSettings } from './watch-settings.js';

/** The state of an organization's usage by hour. Plain data of constant size. */
export interface OrganizationWatch {
  readonly series: OfEach<SeriesState>;
  /** The last hour with an unusual value of any metric, in milliseconds since the epoch. */
  readonly surprisedAt: number | null;
  /** Milliseconds since the epoch of the first hour that was added. */
  readonly firstAt: number | null;
  /** Factor for all limits, adjusted by feedback. */
  readonly tolerance: number;
}

/** The state of an organization without history. */
export const NEW_ORGANIZATION_WATCH: OrganizationWatch = {
  series: ofEach(() => NEW_SERIES),
  surprisedAt: null,
  firstAt: null,
  tolerance: 1,
};

/** The usage of an organization in one completed hour. */
export interface WatchedHour {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly values: OfEach<number>;
}

/** An unusual hour of an organization. */
export interface HourFinding extends SeriesAlarm {
  readonly metric: Metric;
  readonly at: number;
  readonly score: number;
}

/** Description of the finding. */
export const HOUR_RULES = SERIES_RULES;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Maximum number of consecutive hours without usage that are added as zeros. After a longer gap, the moving averages
 * are reset anyway.
 */
const FILLED_HOURS = 49;

/**
 * Adds hours to the watch, oldest first, and compares each with earlier hours. Hours without usage between them count
 * as zero. Only usage above the expected range raises an alarm: one alarm for all metrics, until a quiet period has
 * passed.
 */
export function watchOrganization(
  watch: OrganizationWatch,
  hours: readonly WatchedHour[],
  settings: WatchSettings,
): { readonly watch: OrganizationWatch; readonly alarms: readonly HourFinding[] } {
  const rules = ofEach(metric => seriesSettings(metric, settings, watch.tolerance));
  const quietMs = settings.quietDays * DAY_MS;
  const alarms: HourFinding[] = [];
  let { series, surprisedAt } = watch;
  for (const { at, values } of withEmptyHours(hours, series.requests.lastAt)) {
    const updates = ofEach(metric => updateSeries(series[metric], { at, value: values[metric] }, rules[metric]));
    series = ofEach(metric => updates[metric].state);
    const found = METRICS.flatMap((metric): HourFinding[] => {
      const { alarm, score } = updates[metric];
      if (!alarm || alarm.observed <= alarm.expectedHigh || isSmallHour(metric, values[metric], settings)) return [];
      return [{ ...alarm, metric, at, score }];
    }).toSorted((a, b) => b.score - a.score)[0];
    if (!found) continue;
    if (surprisedAt === null || at - surprisedAt > quietMs) alarms.push(found);
    surprisedAt = Math.max(at, surprisedAt ?? at);
  }
  const firstAt = watch.firstAt ?? hours[0]?.at ?? null;
  return { watch: { ...watch, series, surprisedAt, firstAt }, alarms };
}

function* withEmptyHours(hours: readonly WatchedHour[], lastAt: number | null): Generator<WatchedHour> {
  let last = lastAt;
  for (const hour of hours) {
    const from = last === null ? hour.at : Math.max(last + HOUR_MS, hour.at - FILLED_HOURS * HOUR_MS);
    for (let at = from; at < hour.at; at += HOUR_MS) yield { at, values: ofEach(() => 0) };
    yield hour;
    last = Math.max(hour.at, last ?? hour.at);
  }
}
