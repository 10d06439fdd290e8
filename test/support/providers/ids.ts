import { randomBytes } from 'node:crypto';

/**
 * Random parts of ids, generated in advance, because a call of the generator for each id would be too slow for a load
 * test.
 */
let pool = '';
let at = 0;

/** An id in the vendor's format: a prefix and 29 letters and digits. */
export function newId(prefix: string): string {
  if (at + 29 > pool.length) {
    pool = randomBytes(4096).toString('hex');
    at = 0;
  }
  at += 29;
  return prefix + pool.slice(at - 29, at);
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
