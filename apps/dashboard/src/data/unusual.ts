import { count, money, words } from './format.ts';

interface Unusual {
  metric: string;
  observed: number;
  expected_high: number;
}

/** One line about an anomaly: `Unusual usage: $1.81, at most $0.11 expected`. */
export function unusual({ metric, observed, expected_high }: Unusual, kind?: unknown): string {
  const show = (value: number): string => (metric === 'cost_usd' ? money(value) : count(Math.round(value)));
  const unit = metric === 'cost_usd' ? '' : ` ${words(metric)}`;
  const what = kind === 'pre_departure' ? 'Unusual usage before a departure' : 'Unusual usage';
  return `${what}: ${show(observed)}${unit}, at most ${show(expected_high)} expected`;
}
