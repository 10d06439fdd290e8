import type { SqlTransaction } from '#core';
import {
  addedCosts,
  convertedOf,
  NO_COST,
  ratesWithin,
  type ConvertedCost,
  type ConvertedTexts,
  type DaysWithoutRate,
} from '../currency/index.js';
import { dayOf, ratedSpans, type Bucket, type RatedSpan } from './buckets.js';

/** The cost of a line in another currency. */
export interface ConvertedLine {
  readonly total: ConvertedCost;
  /** The cost per bucket, in the order of the buckets. */
  readonly points: readonly ConvertedCost[];
}

/** The currency of a report. */
export interface ReportCurrency {
  readonly currency: string;
  /** Days of the report without a rate; null if there are none. */
  readonly withoutRate: DaysWithoutRate | null;
}

/** The buckets, split where the rate of the report's currency changes. */
export async function spansOf(
  tx: SqlTransaction,
  orgId: string,
  currency: string | undefined,
  buckets: readonly Bucket[],
  timeZone: string,
): Promise<{ spans: RatedSpan[]; conversion: ReportCurrency | null }> {
  if (currency === undefined) {
    return { spans: buckets.map(({ start, end }, bucket) => ({ bucket, start, end, rate: null })), conversion: null };
  }
  const rates = await ratesWithin(tx, orgId, currency);
  const [first, last] = [buckets[0], buckets.at(-1)];
  const lastInstant = last && new Date(last.end.getTime() - 1);
  const withoutRate =
    first && lastInstant ? rates.missing(dayOf(first.start, timeZone), dayOf(lastInstant, timeZone)) : null;
  return { spans: ratedSpans(buckets, timeZone, rates), conversion: { currency, withoutRate } };
}

/** Sums the costs of a line, in total and per bucket, from its rows. */
export function convertedLineOf(
  buckets: number,
  rows: readonly (ConvertedTexts & { readonly bucket: number | null })[],
): ConvertedLine {
  const points: ConvertedCost[] = Array.from({ length: buckets }, () => NO_COST);
  let total = NO_COST;
  for (const row of rows) {
    const cost = convertedOf(row);
    total = addedCosts(total, cost);
    if (row.bucket !== null) points[row.bucket] = cost;
  }
  return { total, points };
}

/** The costs of a line minus the costs of one of its parts. */
export function without(all: ConvertedLine, part: ConvertedLine): ConvertedLine {
  return {
    total: addedCosts(all.total, part.total, -1n),
    points: all.points.map((point, at) => addedCosts(point, part.points[at] ?? NO_COST, -1n)),
  };
}
