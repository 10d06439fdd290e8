import { seeded } from './random.mjs';
import { sharedCsv, sharedJson } from './shared-data.mjs';

const instant = text => Date.parse(`${text.replace(' ', 'T').slice(0, 19)}Z`);

/** The labelled series of the shared data, or null. */
export function nabSeries() {
  const rows = sharedCsv('anomaly/nab_tuning.csv.gz');
  if (rows === null) return null;
  const windows = sharedJson('anomaly/nab_tuning_windows.json');
  const byName = new Map();
  for (const [name, time, value] of rows) {
    if (!byName.has(name))
      byName.set(name, { name, times: [], values: [], windows: windows[name].map(pair => pair.map(instant)) });
    byName.get(name).times.push(instant(time));
    byName.get(name).values.push(Number(value));
  }
  return [...byName.values()];
}

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5);

/**
 * Generated hourly series with a daily and a weekly cycle, growth and noise, each with one spike, step or silence.
 * Needs no shared data.
 */
export function generatedSeries(count, seed) {
  return Array.from({ length: count }, (_, index) => {
    const random = seeded(seed + index);
    const length = 24 * 60;
    const at = 24 * 30 + Math.floor(random() * 24 * 20);
    const kind = ['spike', 'step', 'silence'][index % 3];
    const times = Array.from({ length }, (_unused, hour) => START + hour * HOUR);
    const values = times.map((_unused, hour) => {
      const workday = Math.floor(hour / 24) % 7 < 5 ? 1 : 0.3;
      const daytime = Math.max(0.05, Math.sin((((hour % 24) - 6) / 14) * Math.PI));
      const usual = 100 * workday * daytime * (1 + hour / length / 2) * (0.9 + 0.2 * random());
      if (kind === 'spike' && hour >= at && hour < at + 3) return usual + 400;
      if (kind === 'step' && hour >= at) return usual * 2.5;
      return kind === 'silence' && hour >= at && hour < at + 48 ? 0 : usual;
    });
    return { name: `generated-${kind}-${index}`, times, values, windows: [[times[at - 24], times[at + 72]]] };
  });
}
