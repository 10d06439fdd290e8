import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CLAUSES, titleOf } from './clauses.js';
import { coverageDocument } from './coverage-document.js';

const root = join(import.meta.dirname, '..', '..');

/** Titles of tests that begin with `spec `, by the files they stand in. */
function provenTitles(): Map<string, string[]> {
  const titles = new Map<string, string[]>();
  for (const folder of ['libs', 'apps', 'test']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.spec.ts') || name.includes('node_modules')) continue;
      const file = join(root, folder, name);
      for (const match of readFileSync(file, 'utf8').matchAll(/\bit(?:\.each\([^)]*\))?\(\s*(['"`])(spec [^'"`]+)\1/g)) {
        const title = match[2] ?? '';
        titles.set(title, [...(titles.get(title) ?? []), relative(root, file)]);
      }
    }
  }
  return titles;
}

describe('the coverage of the interface specification', () => {
  const titles = provenTitles();

  it('has a test for every clause', () => {
    const gaps = Object.entries(CLAUSES).flatMap(([section, clauses]) =>
      clauses.map(clause => titleOf(section, clause)).filter(title => !titles.has(title)),
    );
    expect(gaps).toEqual([]);
  });

  it('has no test of a clause that is not listed', () => {
    const listed = new Set(
      Object.entries(CLAUSES).flatMap(([section, clauses]) => clauses.map(clause => titleOf(section, clause))),
    );
    expect([...titles.keys()].filter(title => !listed.has(title))).toEqual([]);
  });

  it('is what docs/spec-coverage.md says (npm run docs:coverage writes it)', () => {
    expect(readFileSync(join(root, 'docs', 'spec-coverage.md'), 'utf8')).toBe(coverageDocument(titles));
  });
});
