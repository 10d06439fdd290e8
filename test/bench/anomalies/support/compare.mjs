// Alarms per 1,000 days and the share of caught spikes, for any function that judges a day.
import { exceeds } from './simple-rules.mjs';
import { SHAPES } from './day-series.mjs';

/** `people`: days per person. `judge(entry, counts)` says whether the day would alarm. Counts one alarm per episode. */
export function measure(people, judge) {
  let alarms = 0;
  for (const entries of people) {
    let last = Number.NEGATIVE_INFINITY;
    for (const entry of entries) {
      if (!entry.counts || !judge(entry, entry.counts)) continue;
      if (entry.day - last > 1) alarms++;
      last = entry.day;
    }
  }
  return summary(people, alarms, judge);
}

/** Summarizes a group whose alarms and caught spikes are already known. */
export function ourTally(people, { alarms, caught }) {
  return summary(people, alarms, (_entry, counts) => caught(counts));
}

function summary(people, alarms, judge) {
  const entries = people.flat();
  const share = (kind, hours) => {
    let [hits, all] = [0, 0];
    for (const entry of entries) {
      for (const spike of entry.spikes) {
        if (spike.kind !== kind || !hours.includes(spike.hours)) continue;
        all++;
        if (judge(entry, spike.counts)) hits++;
      }
    }
    return (100 * hits) / Math.max(1, all);
  };
  const shares = kind => ({ all: share(kind, SHAPES), hours: SHAPES.map(hours => share(kind, [hours])) });
  return {
    days: entries.length,
    active: entries.filter(entry => entry.counts).length,
    alarms,
    perThousand: (1_000 * alarms) / entries.length,
    five: shares('five'),
    any: shares('any'),
  };
}

/** The smallest factor at which a rule has at most this many alarms per 1,000 days. */
export function tuned(people, rule, perThousand) {
  const real = people.map(entries => entries.map(entry => ({ ...entry, spikes: [] })));
  let [low, high] = [0.1, 60];
  for (let step = 0; step < 24; step++) {
    const factor = (low + high) / 2;
    const { perThousand: alarms } = measure(real, (entry, counts) => exceeds(rule, factor, entry, counts));
    if (alarms > perThousand) low = factor;
    else high = factor;
  }
  return high;
}

export function line(name, result) {
  const parts = ({ all, hours }) =>
    `${all.toFixed(0).padStart(4)} % (${hours.map(value => value.toFixed(0)).join(' / ')})`;
  return `${name.padEnd(44)} ${result.perThousand.toFixed(1).padStart(6)}  ${parts(result.five).padEnd(24)} ${parts(result.any)}`;
}
