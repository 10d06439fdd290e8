// Misuse that lasts or stays within the range of normal days, added to real days. Measures how often and how soon the
// detector raises an alarm.
import { median, total } from './day-series.mjs';
import { seeded } from './random.mjs';

const QUIET_HOURS = 4;

/** Each scenario changes the real counts of a day. `at` is the number of days since the scenario began. */
export const SCENARIOS = [
  { name: 'three hours of 5 × the median day in all, inside a normal day', days: 1, watched: 1, change: threeHours },
  {
    name: 'three hours of 10 × the median day in all, inside a normal day',
    days: 1,
    watched: 1,
    change: threeHoursTwice,
  },
  { name: 'slow ramp to 3 × over two weeks', days: 14, watched: 21, change: ramp(3) },
  { name: 'slow ramp to 5 × over two weeks', days: 14, watched: 21, change: ramp(5) },
  { name: 'slow ramp to 10 × over two weeks', days: 14, watched: 21, change: ramp(10) },
  { name: 'copied account: five nights of four quiet hours', days: 5, watched: 5, change: copiedAccount },
];

function threeHours(counts, _at, facts) {
  return withHours(counts, facts.usual.slice(0, 3), (5 * facts.median) / 3);
}

function threeHoursTwice(counts, _at, facts) {
  return withHours(counts, facts.usual.slice(0, 3), (10 * facts.median) / 3);
}

function ramp(times) {
  return (counts, at) => counts.map(count => Math.round(count * (1 + (times - 1) * Math.min(1, at / 13))));
}

function copiedAccount(counts, at, facts) {
  return at < 5 ? withHours(counts, facts.quiet, facts.perHour) : counts;
}

function withHours(counts, hours, more) {
  return counts.map((count, hour) => (hours.includes(hour) ? count + Math.max(1, Math.round(more)) : count));
}

function factsOf(past) {
  const active = Array.from({ length: 24 }, (_, hour) => past.filter(({ counts }) => counts[hour] > 0).length);
  const order = [...active.keys()].toSorted((a, b) => active[b] - active[a]);
  const runs = active.map((_, from) => Array.from({ length: QUIET_HOURS }, (_unused, step) => (from + step) % 24));
  const quiet = runs.toSorted((a, b) => sumOf(active, a) - sumOf(active, b))[0];
  const sum = past.reduce((all, { counts }) => all + total(counts), 0);
  return {
    median: median(past.map(({ counts }) => total(counts))),
    usual: order.filter(hour => active[hour] > 0),
    quiet,
    perHour: sum / active.reduce((a, b) => a + b, 0),
  };
}

const sumOf = (active, hours) => hours.reduce((sum, hour) => sum + active[hour], 0);
const NOTHING = Array.from({ length: 24 }, () => 0);

/**
 * Starts the scenario on several days of each person. Returns the number of starts, the share of them that the detector
 * reports within the watched days, and the median delay in days. An alarm does not count if the unchanged days raise
 * one on that day, too. `judge(state, day, counts)` returns { state, alarm }.
 */
export function tryScenario(people, scenario, { begin, judge, every = 15, seed = 1 }) {
  const random = seeded(seed);
  const delays = [];
  let starts = 0;
  for (const person of people) {
    const real = new Map(person.days.map(entry => [entry.day, entry.counts]));
    const [first, last] = [person.days[0].day, person.days.at(-1).day];
    let state = begin;
    let next = first + 30 + Math.floor(random() * every);
    for (let day = first; day <= last; day++) {
      const past = person.days.filter(entry => entry.day < day && entry.day >= day - 90);
      const wanted = day >= next && day + scenario.watched <= last && past.length >= 14;
      // Scenarios change a real day, so none starts on a day without activity.
      if (wanted && real.has(day)) {
        next = day + every;
        starts++;
        const delay = delayOf(state, day, past);
        if (delay !== null) delays.push(delay);
      }
      if (real.has(day)) ({ state } = judge(state, day, real.get(day)));
    }

    function delayOf(from, start, past) {
      const facts = factsOf(past);
      let [changed, unchanged] = [from, from];
      for (let at = 0; at < scenario.watched; at++) {
        const day = start + at;
        const counts = real.get(day) ?? NOTHING;
        const other = scenario.change(counts, at, facts);
        const left = judge(changed, day, other);
        const right = total(counts) > 0 ? judge(unchanged, day, counts) : { state: unchanged };
        if (total(other) > 0) changed = left.state;
        unchanged = right.state;
        if (total(other) > 0 && left.alarm && !right.alarm) return at;
      }
      return null;
    }
  }
  const sorted = delays.toSorted((a, b) => a - b);
  return { starts, caught: (100 * delays.length) / Math.max(1, starts), delay: sorted[sorted.length >> 1] ?? null };
}
