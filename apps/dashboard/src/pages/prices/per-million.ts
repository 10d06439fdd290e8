const format = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  // A price has at most 12 decimals; keep all.
  maximumFractionDigits: 12,
});

/** A price per million tokens with all digits. Null means no price, which differs from a price of 0. */
export function perMillion(price: number | null): string {
  return price === null ? '–' : format.format(price);
}
