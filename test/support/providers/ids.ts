import { randomBytes } from 'node:crypto';

/** Random part of an id, generated in advance: one call of the generator per id is too slow for a load test. */
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
