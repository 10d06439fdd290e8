import { describe, expect, it } from '@jest/globals';
import { acceptsCsv } from './accepts-csv.js';

describe('acceptsCsv', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['text/html, */*;q=0.8', false],
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/*', true],
    ['text/csv, */*', true],
    ['text/csv;q=0', false],
    ['text/csv;q=0.5, application/json;q=0.4', true],
    ['text/csv;q=0.4, application/json;q=0.5', false],
    ['application/json, text/csv', false],
    ['text/csv, application/json', true],
    ['text/csv;q=high', false],
  ])('reads %s as %s', (accept, expected) => {
    expect(acceptsCsv(accept)).toBe(expected);
  });
});
