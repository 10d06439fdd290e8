/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Whether PostgreSQL can hold the text: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Cuts a text to a length in UTF-16 units. Never leaves half of a surrogate pair at the end. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * How a text stands in a name that PostgreSQL's `lower()` has treated: all in lower case, and, where the collation knows
 * no letters beyond ASCII, with such letters still in upper case where words begin.
 */
export function caseForms(text: string): [lower: string, asciiOnly: string] {
  const lower = text.toLowerCase();
  const titled = lower.replaceAll(/(?<=^|[\s'-])\p{L}/gu, letter => letter.toUpperCase());
  return [lower, titled.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())];
}
