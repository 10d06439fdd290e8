import type { Severity } from '#core';
import type { HourFinding, WatchFinding } from '../detect/index.js';
import type { AnomalyKind, FoundAnomaly, PlotPoint } from '../record/anomaly.js';
import type { LocalDays } from './local-days.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Number of past values in the chart of an alarm. */
const PLOTTED_DAYS = 28;
/** Ratio of a finding to its limit from which the severity is raised by one level. */
const STRONG = 3;

/** Number of hours that the chart of an alarm shows before the unusual hour. */
export const PLOTTED_HOURS = 7 * 24;

/** Maps the unusual day of a person to an alarm. */
export function foundInDay(
  userId: string,
  day: number,
  finding: WatchFinding,
  isLeaver: boolean,
  calendar: LocalDays,
): FoundAnomaly {
  const { past, observed, expectedLow, expectedHigh, ...rest } = finding;
  const { start, end } = calendar.bounds(day);
  const kind: AnomalyKind = isLeaver ? 'pre_departure' : 'usage_spike';
  const plotted = past.slice(-PLOTTED_DAYS).map(({ day: at, value }) => pointOf(calendar.bounds(at).start, value));
  return {
    ...rest,
    ...{ observed: shown(observed), expectedLow: shown(expectedLow), expectedHigh: shown(expectedHigh) },
    ...{ kind, severity: severityOf(kind, finding.strength), userId },
    ...{ windowStart: start, windowEnd: end },
    series: [...plotted, pointOf(start, finding.observed)],
  };
}

/**
 * Maps the unusual hour of an organization to an alarm.
 * @param past the earlier hours, for the chart
 */
export function foundInHour(finding: HourFinding, past: readonly PlotPoint[], firstAt: number | null): FoundAnomaly {
  const { rule, metric, observed, expectedLow, expectedHigh, score, at } = finding;
  return {
    ...{ kind: 'usage_spike', severity: 'medium', userId: null, model: null },
    ...{ rule, metric, strength: 2 * score },
    ...{ observed: shown(observed), expectedLow: shown(expectedLow), expectedHigh: shown(expectedHigh) },
    windowStart: new Date(at),
    windowEnd: new Date(at + HOUR_MS),
    historyDays: firstAt === null ? 0 : Math.floor((at - firstAt) / DAY_MS),
    series: past,
  };
}

/** A chart point, rounded for display. */
export function pointOf(at: Date, value: number): PlotPoint {
  return { at: at.toISOString(), value: shown(value) };
}

/**
 * Rounds to six significant digits, but keeps all digits before the point. Sums of fractions have meaningless trailing
 * digits.
 */
function shown(value: number): number {
  return Math.abs(value) >= 1e6 ? Math.round(value) : Number(value.toPrecision(6));
}

function severityOf(kind: AnomalyKind, strength: number): Severity {
  if (kind === 'pre_departure') return strength >= STRONG ? 'critical' : 'high';
  return strength >= STRONG ? 'high' : 'medium';
}
