/** Functions that format numbers and money. The caller adds the unit if the text needs one. */
const LOCALE = 'en-US';

const whole = new Intl.NumberFormat(LOCALE);
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percentage = new Intl.NumberFormat(LOCALE, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** A count with separators: `12,345`. */
export function count(value: number): string {
  return whole.format(value);
}

/** A short count for narrow places: `12.3K`. */
export function shortCount(value: number): string {
  return short.format(value);
}

/**
 * A percentage with one decimal, so that figures in a column align: 0.123 is `12.3%`, and 0.4 is `40.0%`. Only 0 and 1
 * have none: `0%` and `100%`.
 */
export function percent(share: number): string {
  return share === 0 || share === 1 ? `${share * 100}%` : percentage.format(share);
}

/** US dollars with cents. Amounts below one cent have four digits, so that a small cost is not shown as zero. */
export function money(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 0.01 ? 4 : 2;
  return new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** US dollars for an axis: `$1.2K`. If the step of the axis has cents, all labels have cents. */
export function shortMoney(value: number, step: number): string {
  const digits = step < 10 && !Number.isInteger(step) ? Math.max(2, Math.ceil(-Math.log10(step))) : 0;
  return new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    maximumFractionDigits: Math.max(digits, Math.abs(value) < 1_000 ? 0 : 1),
    minimumFractionDigits: digits,
  }).format(value);
}

/** A number with its noun: `plural(3, 'incident')` is `3 incidents`. */
export function plural(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

/** Converts a name of the API to words: `require_approval` is `require approval`. */
export function words(name: string): string {
  return name.replaceAll(/[_.]/g, ' ');
}

/** Like `words`, with a capital letter. */
export function sentence(name: string): string {
  return capital(words(name));
}

/** A text with a capital letter at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
