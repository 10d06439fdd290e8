import { describe, expect, it } from '@jest/globals';
import { NEW_SERIES, type SeriesPoint, type SeriesUpdate, updateSeries } from './detector.js';
import { SERIES_SETTINGS } from './settings.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5);

/** Hourly values that a function computes from the hour. */
function hourly(hours: number, value: (hour: number) => number): SeriesPoint[] {
  return Array.from({ length: hours }, (_, hour) => ({ at: START + hour * HOUR, value: value(hour) }));
}

/** Reproducible noise from -1 to 1. */
function noise(index: number): number {
  const x = Math.sin(index * 12.9898) * 43758.5453;
  return 2 * (x - Math.floor(x)) - 1;
}

function week(hour: number): number {
  const workday = Math.floor(hour / 24) % 7 < 5 ? 1 : 0.2;
  return workday * (60 + 40 * Math.sin((hour / 24) * 2 * Math.PI)) + 3 * noise(hour);
}

function run(points: readonly SeriesPoint[], settings = SERIES_SETTINGS): SeriesUpdate[] {
  let state = NEW_SERIES;
  return points.map(point => {
    const update = updateSeries(state, point, settings);
    state = update.state;
    return update;
  });
}

const alarmsOf = (updates: readonly SeriesUpdate[]): number[] =>
  updates.flatMap((update, index) => (update.alarm ? [index] : []));

describe('the detector of regular series', () => {
  it('raises no alarm if a series is constant', () => {
    expect(alarmsOf(run(hourly(1_000, () => 20)))).toEqual([]);
  });

  it('raises an alarm at the first different value if a series was constant', () => {
    expect(alarmsOf(run(hourly(400, hour => (hour < 300 ? 20 : 35))))).toEqual([300]);
  });

  it('raises no alarm after four weeks if days and weeks repeat', () => {
    expect(alarmsOf(run(hourly(24 * 70, week))).filter(hour => hour >= 24 * 28)).toEqual([]);
  });

  it('raises one alarm with the observed value above the expected range if a spike lasts five hours', () => {
    const from = 24 * 40 + 9;
    const updates = run(hourly(24 * 45, hour => week(hour) + (hour >= from && hour < from + 5 ? 300 : 0)));
    expect(alarmsOf(updates).filter(hour => hour >= 24 * 28)).toEqual([from]);
    const alarm = updates[from]?.alarm;
    expect(alarm?.observed).toBeGreaterThan(alarm?.expectedHigh ?? Number.POSITIVE_INFINITY);
  });

  it('raises an alarm by the hour of the week if a Sunday is as busy as a workday', () => {
    const sunday = 24 * (7 * 6 + 6);
    const updates = run(hourly(sunday + 24, hour => (hour < sunday ? week(hour) : week(hour - 24 * 3))));
    const first = alarmsOf(updates).find(hour => hour >= sunday);
    expect(first).toBeDefined();
    expect(updates[first ?? 0]?.alarm?.rule).toMatch(/^hour_of_/);
  });

  it('raises one alarm if the level doubles permanently', () => {
    const from = 24 * 40;
    const alarms = alarmsOf(run(hourly(24 * 70, hour => week(hour) * (hour < from ? 1 : 2))));
    expect(alarms.filter(hour => hour >= from && hour < from + 48)).toHaveLength(1);
    expect(alarms.filter(hour => hour >= from + 24 * 7)).toEqual([]);
  });

  it('ignores differences below the floor if one is set', () => {
    const points = hourly(400, hour => (hour < 300 ? 0 : 5));
    expect(alarmsOf(run(points))).toHaveLength(1);
    expect(alarmsOf(run(points, { ...SERIES_SETTINGS, floor: 1_000 }))).toEqual([]);
  });

  it('gives the same scores if the state is stored as JSON between points', () => {
    let state = NEW_SERIES;
    const points = hourly(24 * 20, week);
    const stored = points.map(point => {
      const update = updateSeries(JSON.parse(JSON.stringify(state)) as typeof state, point, SERIES_SETTINGS);
      state = update.state;
      return update.score;
    });
    expect(stored).toEqual(run(points).map(update => update.score));
  });

  it('changes no earlier score if later points change', () => {
    const points = hourly(24 * 30, week);
    const changed = points.map((point, index) => (index > 600 ? { ...point, value: point.value * 9 } : point));
    const scores = (given: SeriesPoint[]): number[] => run(given).map(update => update.score);
    expect(scores(changed).slice(0, 601)).toEqual(scores(points).slice(0, 601));
  });

  it('keeps a state of bounded size as the history grows', () => {
    const size = (hours: number): number => JSON.stringify(run(hourly(hours, week)).at(-1)?.state).length;
    expect(size(24 * 120)).toBeLessThan(size(24 * 30) * 1.1);
    expect(size(24 * 120)).toBeLessThan(5_000);
  });

  it('gives a late point no score and keeps the newest point', () => {
    const updates = run([...hourly(300, week), { at: START + 10 * HOUR, value: 1e6 }]);
    expect(updates[300]?.score).toBe(0);
    expect(updates[300]?.state.lastAt).toBe(START + 299 * HOUR);
    expect(updates[300]?.state.medium).toEqual(updates[299]?.state.medium);
  });

  it('restarts its moving averages if points are missing for days', () => {
    const points = hourly(24 * 40, week).filter(({ at }) => at < START + 24 * 30 * HOUR || at > START + 24 * 34 * HOUR);
    const updates = run(points);
    expect(updates[24 * 30]?.state.medium.count).toBe(1);
    expect(alarmsOf(updates).filter(index => index >= 24 * 28)).toEqual([]);
  });
});
