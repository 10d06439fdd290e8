import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CLAUSES, titleOf } from './clauses.js';
import { coverageDocument } from './coverage-document.js';

const root = join(import.meta.dirname, '..', '..');
const page = join(root, 'docs', 'spec-coverage.md');

const COMMENT = /^\s*\/\/.*$/gm;
const TITLE = /(?:(\S+)\(\s*)?(['"`])(spec \d.*?)\2/g;

/**
 * Texts that begin like the title of a clause, with the test files that contain them. A file is listed once per
 * occurrence.
 */
function provenTitles(): Map<string, string[]> {
  const titles = new Map<string, string[]>();
  for (const folder of ['libs', 'apps', 'test']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.spec.ts') || name.includes('node_modules')) continue;
      const file = join(root, folder, name);
      const code = readFileSync(file, 'utf8').replaceAll(COMMENT, '');
      for (const [, call, , title = ''] of code.matchAll(TITLE)) {
        // A skipped, focused or todo test proves nothing.
        if (call !== 'it') throw new Error(`${name}: "${title}" must be the title of a plain it()`);
        titles.set(title, [...(titles.get(title) ?? []), relative(root, file)]);
      }
    }
  }
  return titles;
}

describe('the coverage of the interface specification', () => {
  const titles = provenTitles();
  const clauses = Object.entries(CLAUSES).flatMap(([section, inSection]) =>
    inSection.map(clause => titleOf(section, clause)),
  );

  it('has exactly one test for every clause', () => {
    expect(clauses.filter(title => titles.get(title)?.length !== 1)).toEqual([]);
  });

  it('has no test of a clause that is not listed, and lists none twice', () => {
    expect([...titles.keys()].toSorted()).toEqual(clauses.toSorted());
  });

  it('equals docs/spec-coverage.md; npm run docs:coverage writes it', () => {
    const document = coverageDocument(titles);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, document);
    expect(readFileSync(page, 'utf8')).toBe(document);
  });
});
