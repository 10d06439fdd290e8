/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Whether PostgreSQL can store the text: it must not contain NUL or an unpaired surrogate. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Truncates a text to a length in UTF-16 units, without leaving an unpaired surrogate. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * The forms that a text may have after PostgreSQL's `lower()`. The first is entirely in lower case. Some collations
 * convert only ASCII letters. In the second form, non-ASCII letters at the start of words are therefore in upper case.
 */
export function caseForms(text: string): [lower: string, asciiOnly: string] {
  const lower = text.toLowerCase();
  const titled = lower.replaceAll(/(?<=^|[\s'-])\p{L}/gu, letter => letter.toUpperCase());
  return [lower, titled.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())];
}
