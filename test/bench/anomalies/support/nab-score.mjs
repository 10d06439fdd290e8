// The score of the Numenta Anomaly Benchmark (NAB): early detection within a window counts most, each alarm outside
// of all windows costs, one threshold for all series. Checked against NAB's own scorer; see docs/anomalies.md.
export const PROFILES = {
  standard: { hit: 1, alarm: 0.11, miss: 1 },
  reward_low_FP_rate: { hit: 1, alarm: 0.22, miss: 1 },
  reward_low_FN_rate: { hit: 1, alarm: 0.11, miss: 2 },
};

const PROBATION = 0.15;
const PROBATION_OF_AT_MOST = 5_000;

function sigmoid(position) {
  return position > 3 ? -1 : 2 / (1 + Math.exp(5 * position)) - 1;
}

const EARLIEST = sigmoid(-1);

/** The worth of an alarm at each point of a series after the probation. `series`: { name, times, windows }. */
function worthOf({ name, times, windows }, scores, profile) {
  const probation = Math.min(Math.floor(PROBATION * times.length), PROBATION * PROBATION_OF_AT_MOST);
  const bounds = windows.map(([from, to]) => [times.indexOf(from), times.indexOf(to)]);
  const points = [];
  for (let index = 0; index < times.length; index++) {
    if (index < probation) continue;
    const inside = bounds.findIndex(([from, to]) => index >= from && index <= to);
    if (inside >= 0) {
      const [from, to] = bounds[inside];
      const worth = (sigmoid(-(to - index + 1) / (to - from + 1)) / EARLIEST) * profile.hit;
      points.push({ score: scores[index], window: `${name} ${inside}`, worth });
      continue;
    }
    const before = bounds.findLast(([, to]) => to < index);
    const position = before ? (index - before[1]) / (before[1] - before[0]) : Number.POSITIVE_INFINITY;
    points.push({ score: scores[index], window: null, worth: sigmoid(position) * profile.alarm });
  }
  return points;
}

/**
 * The normalized score (null detector 0, perfect 100) at the best common threshold, and that threshold. `judged`: [{
 * series, scores }]. Uses `threshold` if it is given.
 */
export function nabScore(judged, { profile = PROFILES.standard, threshold = null } = {}) {
  const points = judged.flatMap(({ series, scores }) => worthOf(series, scores, profile));
  const windows = judged.reduce((sum, { series }) => sum + series.windows.length, 0);
  points.sort((a, b) => b.score - a.score);
  const best = new Map(points.filter(point => point.window !== null).map(({ window }) => [window, -profile.miss]));
  let sum = -profile.miss * best.size;
  let top = { raw: sum, threshold: 1.1 };
  for (const [index, { score, window, worth }] of points.entries()) {
    if (threshold !== null && score < threshold) break;
    if (window === null) sum += worth;
    else if (worth > best.get(window)) {
      sum += worth - best.get(window);
      best.set(window, worth);
    }
    const lastOfScore = points[index + 1]?.score !== score;
    if (lastOfScore && (threshold !== null || sum > top.raw)) top = { raw: sum, threshold: score };
  }
  const nothing = -profile.miss * windows;
  return { ...top, windows, score: (100 * (top.raw - nothing)) / (profile.hit * windows - nothing) };
}
