import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';

/** The first and the last day of a range without a rate. */
export interface DaysWithoutRate {
  readonly first_day: string;
  readonly last_day: string;
}

const RATES = `
select to_char(day, 'YYYY-MM-DD') as day, rate::text from ${SCHEMA}.exchange_rates
where org_id = $1 and currency = $2 order by day`;

/** Rates of a currency by day. */
export class DatedRates {
  /** `rates`: in the order of their days, `YYYY-MM-DD`; each the units of the currency per US dollar. */
  constructor(
    readonly currency: string,
    private readonly rates: readonly { readonly day: string; readonly rate: string }[],
  ) {}

  /** The rate of a day: the latest one of this day or an earlier day. Null if there is none. */
  on(day: string): string | null {
    let [from, until] = [0, this.rates.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if ((this.rates[middle]?.day ?? '') <= day) from = middle + 1;
      else until = middle;
    }
    return this.rates[from - 1]?.rate ?? null;
  }

  /** The days of a range, both ends included, that have no rate: the days before the first rate. */
  missing(firstDay: string, lastDay: string): DaysWithoutRate | null {
    const known = this.rates[0]?.day;
    if (known !== undefined && known <= firstDay) return null;
    const isPartly = known !== undefined && known <= lastDay;
    return { first_day: firstDay, last_day: isPartly ? dayBefore(known) : lastDay };
  }
}

/** Reads the rates of a currency in a running transaction of the organization. */
export async function ratesWithin(tx: SqlTransaction, orgId: string, currency: string): Promise<DatedRates> {
  return new DatedRates(currency, await tx.query<{ day: string; rate: string }>(RATES, [orgId, currency]));
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
