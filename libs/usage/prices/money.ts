/** Decimal places of a picodollar, and of money in PostgreSQL (NUMERIC). */
const PICO_SCALE = 12;
const DECIMAL = /^(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Converts a non-negative decimal to an integer in units of 10^-scale. Undefined if the value is not such a decimal. A
 * string must be exact: undefined if it has digits other than zero beyond the scale. A number is read in its shortest
 * decimal form (0.1 is one tenth) and rounded half up at the scale, because further digits are usually the error of a
 * floating-point sum (0.1 + 0.2 = 0.30000000000000004).
 */
export function toScaled(value: number | string, scale: number): bigint | undefined {
  const match = DECIMAL.exec(typeof value === 'number' ? String(value) : value);
  if (!match) return undefined;
  const digits = `${match[1]}${match[2] ?? ''}`;
  const shift = scale - (match[2]?.length ?? 0) + Number(match[3] ?? 0);
  if (shift >= 0) return BigInt(digits) * 10n ** BigInt(shift);
  const kept = Math.max(digits.length + shift, 0);
  if (typeof value === 'string' && /[1-9]/.test(digits.slice(kept))) return undefined;
  const roundsUp = digits.length + shift >= 0 && digits.charAt(kept) >= '5';
  return BigInt(digits.slice(0, kept)) + (roundsUp ? 1n : 0n);
}

/** US dollars as picodollars (10⁻¹² USD); numbers are rounded half up, strings must be exact. See {@link toScaled}. */
export function usdToPico(usd: number | string): bigint | undefined {
  return toScaled(usd, PICO_SCALE);
}

/** Picodollars as decimal text with 12 places, as PostgreSQL reads a NUMERIC: `-0.000000000001`. */
export function picoToDecimalString(pico: bigint): string {
  const digits = (pico < 0n ? -pico : pico).toString().padStart(PICO_SCALE + 1, '0');
  return `${pico < 0n ? '-' : ''}${digits.slice(0, -PICO_SCALE)}.${digits.slice(-PICO_SCALE)}`;
}

/**
 * Decimal text with at most 12 places as picodollars. It may be negative. PostgreSQL writes a NUMERIC(38, 12) in this
 * form.
 */
export function decimalToPico(text: string): bigint {
  const isNegative = text.startsWith('-');
  const pico = usdToPico(isNegative ? text.slice(1) : text);
  if (pico === undefined) throw new RangeError(`${text} is not an amount of money`);
  return isNegative ? -pico : pico;
}
