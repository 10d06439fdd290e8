const format = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  // A price has at most 12 decimals, and all of them are shown.
  maximumFractionDigits: 12,
});

/** A space as wide as a digit. */
const FIGURE_SPACE = '\u2007';

/**
 * A price per million tokens with all digits. Null means that there is no price. That is different from a price of 0.
 */
export function perMillion(price: number | null): string {
  return price === null ? '–' : format.format(price);
}

/** The price of a row, followed by spaces. They align the decimal points of all prices in the column. */
export function alignedPrice(price: number | null, column: readonly (number | null)[]): string {
  if (price === null) return perMillion(price);
  const most = Math.max(...column.map(each => (each === null ? 0 : decimalsOf(each))));
  return perMillion(price) + FIGURE_SPACE.repeat(most - decimalsOf(price));
}

function decimalsOf(price: number): number {
  return perMillion(price).split('.')[1]?.length ?? 0;
}
