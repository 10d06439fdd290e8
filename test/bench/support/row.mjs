import { appendFileSync } from 'node:fs';

/**
 * Adds one figure to the table of `npm run bench`. Does nothing if a bench runs alone, without a file for the table.
 *
 * @param {{ figure: string, ours: string, peer?: string, ratio?: number, atLeast?: number, atMost?: number }} row
 *   `figure` names the measurement. `ours` and `peer` are texts with units. `atLeast` and `atMost` are the target of
 *   `value`, which is the ratio unless the bench passes another number.
 */
export function row({ figure, ours, peer = '', ratio, value = ratio, atLeast, atMost }) {
  const file = process.env.BENCH_TABLE;
  if (file === undefined) return;
  const target = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : '';
  const isMet = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  const cells = { figure, ours, peer, ratio: ratio === undefined ? '' : ratio.toFixed(2), target };
  appendFileSync(file, `${JSON.stringify({ ...cells, result: target === '' ? '' : isMet ? 'met' : 'missed' })}\n`);
}

/** A rate for the table, such as "13,535 requests/s". */
export function perSecond(rate, unit) {
  return `${Math.round(rate).toLocaleString('en-US')} ${unit}/s`;
}

/** A time for the table, such as "1.29 ms". */
export function ms(value, digits = 2) {
  return `${value.toFixed(digits)} ms`;
}
