import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, ROOT } from './markdown.js';

/** The rows of every table whose first cell matches, cell by cell. */
function rowsOf(page: string, first: RegExp): string[][] {
  const rows = page.split('\n').filter(line => line.startsWith('| '));
  return rows.map(row => row.split('|').map(cell => cell.trim())).filter(([, cell = '']) => first.test(cell));
}

/** The last part of the numbers of level 1 and level 2 of ASVS 5.0.0, by section. */
const ASVS: Readonly<Record<string, readonly number[]>> = {
  '1.1': upTo(2),
  '1.2': upTo(9),
  '1.3': upTo(11),
  '1.4': upTo(3),
  '1.5': upTo(2),
  '2.1': upTo(3),
  '2.2': upTo(3),
  '2.3': upTo(4),
  '2.4': upTo(1),
  '3.2': upTo(2),
  '3.3': upTo(4),
  '3.4': upTo(6),
  '3.5': upTo(5),
  '3.7': upTo(2),
  '4.1': upTo(3),
  '4.2': upTo(1),
  '4.3': upTo(2),
  '4.4': upTo(4),
  '5.1': upTo(1),
  '5.2': upTo(3),
  '5.3': upTo(2),
  '5.4': upTo(3),
  '6.1': upTo(3),
  '6.2': upTo(12),
  '6.3': upTo(4),
  '6.4': upTo(4),
  '6.5': upTo(5),
  '6.6': upTo(3),
  '6.8': upTo(4),
  '7.1': upTo(3),
  '7.2': upTo(4),
  '7.3': upTo(2),
  '7.4': upTo(5),
  '7.5': upTo(2),
  '7.6': upTo(2),
  '8.1': upTo(2),
  '8.2': upTo(3),
  '8.3': upTo(1),
  '8.4': upTo(1),
  '9.1': upTo(3),
  '9.2': upTo(4),
  '10.1': upTo(2),
  '10.2': upTo(2),
  '10.3': upTo(4),
  '10.4': upTo(11),
  '10.5': upTo(5),
  '10.6': upTo(2),
  '10.7': upTo(3),
  '11.1': upTo(2),
  '11.2': upTo(3),
  '11.3': upTo(3),
  '11.4': upTo(4),
  '11.5': upTo(1),
  '11.6': upTo(1),
  '12.1': upTo(3),
  '12.2': upTo(2),
  '12.3': upTo(4),
  '13.1': upTo(1),
  '13.2': upTo(5),
  '13.3': upTo(2),
  '13.4': upTo(5),
  '14.1': upTo(2),
  '14.2': upTo(4),
  '14.3': upTo(3),
  '15.1': upTo(3),
  '15.2': upTo(3),
  '15.3': upTo(7),
  '16.1': upTo(1),
  '16.2': upTo(5),
  '16.3': upTo(4),
  '16.4': upTo(3),
  '16.5': upTo(3),
  '17.1': upTo(1),
  '17.2': upTo(4),
  '17.3': upTo(2),
};

/** The numbers from 1 to the given one. */
function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, at) => at + 1);
}

describe('docs/security-checklist.md', () => {
  const page = readPage('docs/security-checklist.md');

  it('has every risk of the OWASP API Security Top 10 of 2023 once, in order', () => {
    const risks = rowsOf(page, /^API\d/).map(([, risk = '']) => risk.split(' ')[0]);
    expect(risks).toEqual(Array.from({ length: 10 }, (_, at) => `API${at + 1}:2023`));
  });

  it('has every requirement of levels 1 and 2 of ASVS 5.0.0 once, with a test, a page, a reason, or a mark as open', () => {
    const rows = rowsOf(page, /^\d+\.\d+\.\d+/);
    const named = rows.flatMap(([, numbers = '']) => numbers.split(', '));
    const wanted = Object.entries(ASVS).flatMap(([section, numbers]) => numbers.map(each => `${section}.${each}`));
    expect(wanted).toHaveLength(253);
    expect(named.toSorted()).toEqual(wanted.toSorted());
    const bare = rows.filter(
      ([, , , what = '']) => !/\.spec\.ts`|\]\(|^Reason: .{5}|\bOpen: .{10}|package-lock/.test(what),
    );
    expect(bare).toEqual([]);
  });

  it('names only tests that exist', () => {
    const tests = [...page.matchAll(/`([^`]+\.spec\.ts)`/g)].map(([, path = '']) => path);
    expect(tests.length).toBeGreaterThan(20);
    expect(tests.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
