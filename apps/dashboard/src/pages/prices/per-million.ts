const format = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  // A price has at most 12; none of them may be lost.
  maximumFractionDigits: 12,
});

/** A price per million tokens with all of its digits. Null is no price, which is not the same as a price of 0. */
export function perMillion(price: number | null): string {
  return price === null ? '–' : format.format(price);
}
