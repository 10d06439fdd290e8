import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, ROOT } from './markdown.js';

const ROWS = [...readPage('docs/glossary.md').matchAll(/^\| (.+?) +\| (.+?) +\| `(.+?)` +\|$/gm)];

describe('docs/glossary.md', () => {
  it('has at most 25 terms, in order, each explained in a sentence', () => {
    const terms = ROWS.map(([, term = '']) => term);
    expect(terms.length).toBeGreaterThan(15);
    expect(terms.length).toBeLessThanOrEqual(25);
    expect(terms).toEqual(terms.toSorted((a, b) => a.localeCompare(b, 'en')));
    for (const [, , meaning = ''] of ROWS) expect(meaning).toMatch(/^[A-Z].+\.$/);
  });

  it('names code that exists', () => {
    const files = [...globSync('libs/**/*.ts', { cwd: ROOT }), '.dependency-cruiser.mjs'];
    const code = files.map(file => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    const declared = (name: string): boolean =>
      new RegExp(`^export (?:abstract )?(?:class|const|function|interface) ${name}\\b`, 'm').test(code);
    const named = ROWS.map(([, , , name = '']) => name).filter(name => /^\w+$/.test(name));
    expect(named.filter(name => !declared(name))).toEqual([]);
  });
});
