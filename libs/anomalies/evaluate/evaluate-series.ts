import {
  NEW_SERIES,
  SERIES_RULES,
  SERIES_SETTINGS,
  type SeriesAlarm,
  type SeriesState,
  updateSeries,
} from '../detect/index.js';
import type { Cells } from './cells.js';

/** The verdict on one line of a file of series. */
export interface SeriesVerdict {
  readonly file: string;
  readonly timestamp: string;
  readonly score: number;
  readonly alarm: 0 | 1;
  /** The rule with the observed and expected values. Set for alarms only. */
  readonly reason?: SeriesAlarm & { readonly words: string };
}

/** Compares each line with the earlier lines of its file only, in the order of the file. */
export async function* evaluateSeries(rows: AsyncIterable<Cells>): AsyncGenerator<SeriesVerdict> {
  const states = new Map<string, SeriesState>();
  for await (const row of rows) {
    const file = row.text('file');
    const point = { at: row.instant('timestamp'), value: row.number('value') };
    const { state, score, alarm } = updateSeries(states.get(file) ?? NEW_SERIES, point, SERIES_SETTINGS);
    states.set(file, state);
    yield {
      file,
      timestamp: row.text('timestamp'),
      score: Number(score.toFixed(6)),
      alarm: alarm ? 1 : 0,
      ...(alarm ? { reason: { ...alarm, words: SERIES_RULES[alarm.rule] } } : {}),
    };
  }
}
