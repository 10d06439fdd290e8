/** A cost in another currency. */
export interface ConvertedCost {
  /** The cost on days with a rate, in units of 10⁻²⁴ of the currency: exact. */
  readonly units: bigint;
  /** Picodollars on days without a rate. */
  readonly unconverted: bigint;
}

/** A cost of zero. */
export const NO_COST: ConvertedCost = { units: 0n, unconverted: 0n };

/** Dollars and rates have at most 12 decimal places each. */
const SCALE = 24;
/** Minimum number of decimal places in texts, the same as for costs in dollars. */
const PLACES = 12;

/**
 * SQL that converts a cost to another currency. Its rows have the columns `cost_usd` and `rate`; `rate` is null on days
 * without a rate.
 */
export const CONVERTED_COLUMNS = {
  converted_cost: (cost: string, rate: string) => `${cost} * ${rate}`,
  unconverted_cost: (cost: string, rate: string) => `case when ${rate} is null then ${cost} else 0 end`,
} as const;

/** Sums of converted costs, as PostgreSQL returns them. */
export interface ConvertedTexts {
  readonly converted_cost?: string | null;
  readonly unconverted_cost?: string | null;
}

/** Parses sums that PostgreSQL returned. */
export function convertedOf({ converted_cost: converted, unconverted_cost: rest }: ConvertedTexts): ConvertedCost {
  return { units: unitsOf(converted ?? '0'), unconverted: unitsOf(rest ?? '0') };
}

/** Adds one cost to another, multiplied by `sign`. */
export function addedCosts(one: ConvertedCost, other: ConvertedCost, sign: 1n | -1n = 1n): ConvertedCost {
  return { units: one.units + sign * other.units, unconverted: one.unconverted + sign * other.unconverted };
}

/** The cost as exact decimal text; null if any of its days has no rate. */
export function convertedText({ units, unconverted }: ConvertedCost): string | null {
  if (unconverted !== 0n) return null;
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0');
  const places = digits.slice(-SCALE);
  const rest = places.slice(PLACES).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${places.slice(0, PLACES)}${rest}`;
}

function unitsOf(text: string): bigint {
  const [whole = '0', places = ''] = text.split('.');
  return BigInt(`${whole}${places.padEnd(SCALE, '0')}`);
}
