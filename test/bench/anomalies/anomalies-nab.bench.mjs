// The detector of regular series on labelled public series (NAB), with one setting for all.
//   npm run bench -- anomalies-nab
import { generatedSeries, nabSeries } from './support/series-data.mjs';
import { nabScore, PROFILES } from './support/nab-score.mjs';
import { NEW_SERIES, SERIES_SETTINGS, updateSeries } from '../../../dist/libs/anomalies/detect/index.js';

const ALARM = 0.5;
const GROUPS = 5;

report('generated series', generatedSeries(30, 7));
const series = nabSeries();
if (series === null) console.log('NAB: skipped: no ../shared/data');
else report('NAB, tuning series', series);

function report(title, all) {
  const started = performance.now();
  const judged = all.map(one => ({ series: one, ...run(one) }));
  const points = all.reduce((sum, { times }) => sum + times.length, 0);
  const micros = (1_000 * (performance.now() - started)) / points;
  const bytes = Math.max(...judged.map(({ state }) => JSON.stringify(state).length));
  console.log(
    `\n${title}: ${all.length} series, ${points} points, ${micros.toFixed(1)} µs per point, largest state ${(bytes / 1_000).toFixed(1)} kB`,
  );
  for (const [name, profile] of Object.entries(PROFILES)) {
    const best = nabScore(judged, { profile });
    const fixed = nabScore(judged, { profile, threshold: ALARM });
    console.log(
      `  ${name.padEnd(20)} ${best.score.toFixed(1).padStart(5)} at the best threshold (${best.threshold.toFixed(3)}); ` +
        `${fixed.score.toFixed(1)} at the threshold of an alarm (${ALARM})`,
    );
  }
  console.log(
    `  null detector ${
      nabScore(
        all.map(one => ({ series: one, scores: one.times.map(() => 0) })),
        {},
      ).score < 1e-9
        ? 0
        : 'not 0'
    }`,
  );
  console.log(`  each fifth of the series at the threshold of the other four: ${heldOut(judged).toFixed(1)}`);
  const alarms = judged.reduce((sum, one) => sum + one.alarms, 0);
  const span = all.reduce((sum, { times }) => sum + (times.at(-1) - times[0]) / 86_400_000, 0);
  console.log(`  ${alarms} alarms (episodes) in ${span.toFixed(0)} days of series`);
}

function run({ times, values }) {
  let state = NEW_SERIES;
  let alarms = 0;
  const scores = times.map((at, index) => {
    const update = updateSeries(state, { at, value: values[index] }, SERIES_SETTINGS);
    state = update.state;
    if (update.alarm) alarms++;
    return update.score;
  });
  return { scores, alarms, state };
}

function heldOut(judged) {
  let raw = 0;
  let windows = 0;
  for (let group = 0; group < GROUPS; group++) {
    const { threshold } = nabScore(judged.filter((_, index) => index % GROUPS !== group));
    const rest = nabScore(
      judged.filter((_, index) => index % GROUPS === group),
      { threshold },
    );
    raw += rest.raw;
    windows += rest.windows;
  }
  return (100 * (raw + windows)) / (2 * windows);
}
