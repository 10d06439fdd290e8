// Simple rules to compare the detector with. Each is a limit of the day's total with one factor to tune.
import { median, total } from './day-series.mjs';

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;

function facts(past, calendar) {
  const totals = past.map(({ counts }) => total(counts));
  const sum = totals.reduce((a, b) => a + b, 0);
  const average = sum / calendar;
  const spread = Math.sqrt(Math.max(0, totals.reduce((a, b) => a + b * b, 0) / calendar - average ** 2));
  const middle = median(totals);
  const deviation = 1.4826 * median(totals.map(value => Math.abs(value - middle)));
  const sorted = totals.toSorted((a, b) => a - b);
  const place = 0.9 * (sorted.length - 1);
  const low = sorted[Math.floor(place)];
  return {
    ...{ average, spread, middle },
    activeMean: mean(totals),
    activeSpread: Math.sqrt(mean(totals.map(value => (value - mean(totals)) ** 2))),
    deviation: Math.max(deviation, Math.sqrt(middle)),
    maximum: sorted.at(-1),
    ninetieth: low + (place % 1) * ((sorted[Math.floor(place) + 1] ?? low) - low),
  };
}

/**
 * Limits by name. A day alarms above the limit, or at the limit if `reached` is set. `published` lists factors from
 * publications.
 */
export const SIMPLE_RULES = [
  { name: 'k × own maximum', limit: (f, k) => k * f.maximum, published: [1.5] },
  { name: 'mean + k σ, all days', limit: (f, k) => f.average + k * f.spread, published: [3, 5] },
  { name: 'mean + k σ, active days', limit: (f, k) => f.activeMean + k * f.activeSpread, published: [] },
  { name: 'median + k MAD', limit: (f, k) => f.middle + k * f.deviation, published: [3.5, 4.5] },
  {
    name: 'max(median + k MAD, 1.5 × p90)',
    limit: (f, k) => Math.max(f.middle + k * f.deviation, 1.5 * f.ninetieth),
    published: [3.5],
  },
  { name: 'k × median or more', limit: (f, k) => k * f.middle, reached: true, published: [5] },
];

/** The days of all people with the values that the simple rules need, computed once. */
export function withFacts(days) {
  return days.map(entry => ({ ...entry, facts: facts(entry.past, entry.calendar) }));
}

export function exceeds(rule, factor, entry, counts) {
  const limit = rule.limit(entry.facts, factor);
  return rule.reached ? total(counts) >= limit : total(counts) > limit;
}
