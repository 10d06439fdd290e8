import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, ROOT } from './markdown.js';

/** Cells of the rows of every table whose first cell matches. */
function rowsOf(page: string, first: RegExp): string[][] {
  const rows = page.split('\n').filter(line => line.startsWith('| '));
  return rows.map(row => row.split('|').map(cell => cell.trim())).filter(([, cell = '']) => first.test(cell));
}

describe('docs/security-checklist.md', () => {
  const page = readPage('docs/security-checklist.md');

  it('has every risk of the OWASP API Security Top 10 of 2023 once, in order', () => {
    const risks = rowsOf(page, /^API\d/).map(([, risk = '']) => risk.split(' ')[0]);
    expect(risks).toEqual(Array.from({ length: 10 }, (_, at) => `API${at + 1}:2023`));
  });

  it('names only tests that exist', () => {
    const tests = [...page.matchAll(/`([^`]+\.spec\.ts)`/g)].map(([, path = '']) => path);
    expect(tests.length).toBeGreaterThan(20);
    expect(tests.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
