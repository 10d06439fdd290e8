import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './cruise.js';
import { duplicatedRuns } from './figures/duplicates.js';
import { figuresOf } from './figures/figures.js';
import { siblingCycles, smallFiles } from './figures/folders.js';
import { linesOf, roleOf, type SourceFile } from './figures/source-file.js';

const run = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${prefix}(${line});\n`).join('');

describe('the figures of the source', () => {
  it('count files, lines, comments and roles', () => {
    const files: SourceFile[] = [
      { file: 'libs/a/one.service.ts', text: '// why\nx;\n\ny;\nz;\n' },
      { file: 'libs/a/two.ts', text: 'x;\n' },
    ];
    expect(figuresOf(files)).toMatchObject({
      files: 2,
      lines: 6,
      medianLines: 1,
      commentPercent: 20,
      roles: { service: 1, none: 1 },
    });
  });

  it('name the sibling folders that import one another, directly or through others, at each depth', () => {
    const files: SourceFile[] = [
      { file: 'libs/a/hen/hen.ts', text: "import type { egg } from '../egg/shell/egg.js';\n" },
      { file: 'libs/a/egg/shell/egg.ts', text: '' },
      { file: 'libs/a/egg/nest.ts', text: "export { straw } from '../barn/straw.js';\n" },
      { file: 'libs/a/barn/straw.ts', text: "const hen = await import('../hen/hen.js');\n" },
      { file: 'libs/a/top.ts', text: "import './hen/hen.js';\n" },
      { file: 'libs/a/leaf/leaf.ts', text: "import '../top.js';\nimport '../hen/hen.js';\n" },
    ];
    expect(siblingCycles(files)).toEqual(['libs/a/{barn, egg, hen}']);
    expect(siblingCycles(files.filter(({ file }) => !file.endsWith('nest.ts')))).toEqual([]);
  });

  it('name the short files whose only importer is in the same folder', () => {
    const files: SourceFile[] = [
      { file: 'libs/a/small.ts', text: run('x', 24) },
      { file: 'libs/a/long.ts', text: run('x', 25) },
      { file: 'libs/a/shared.ts', text: '' },
      { file: 'libs/a/exported.ts', text: '' },
      { file: 'libs/a/index.ts', text: "export * from './exported.js';\n" },
      { file: 'libs/a/part.ts', text: '' },
      { file: 'libs/a/a.module.ts', text: "import './part.js';\n" },
      { file: 'libs/a/reader.ts', text: "import './small.js';\nimport './long.js';\nimport './shared.js';\n" },
      { file: 'libs/a/b/reader.ts', text: "import '../shared.js';\n" },
    ];
    expect(smallFiles(files)).toEqual(['libs/a/small.ts <- reader.ts']);
  });

  it('name each longest run of six or more equal lines once', () => {
    const files: SourceFile[] = [
      { file: 'a.ts', text: `a;\n${run('x', 8)}b;\n${run('y', 5)}` },
      { file: 'b.ts', text: `c;\n\n// why\n  ${run('x', 8)}d;\n${run('y', 5)}` },
      { file: 'c.ts', text: `// Generated from the table.\n${run('x', 8)}` },
    ];
    expect(duplicatedRuns(files)).toEqual([{ lines: 8, places: ['a.ts:2', 'b.ts:4'] }]);
  });
});

describe('the files of each library', () => {
  const code = (pattern: string): SourceFile[] =>
    globSync(pattern, { cwd: ROOT }).map(file => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
  const libs = code('libs/**/*.ts').filter(({ file }) => !file.endsWith('.spec.ts'));

  it('are in folders that have no import cycle between siblings', () => {
    expect(libs.length).toBeGreaterThan(500);
    expect(siblingCycles(libs)).toEqual([]);
  });

  it('include no short file with a single importer in its folder, unless it has a role or a spec of its own', () => {
    const tests = code('{libs,test}/**/*.ts').filter(
      ({ file }) => file.startsWith('test/') || file.endsWith('.spec.ts'),
    );
    const isTested = (file: string): boolean =>
      tests.some(({ text }) => text.includes(`/${basename(file, '.ts')}.js'`));
    const lengthOf = (file: string): number => linesOf(libs.find(each => each.file === file)?.text ?? '').length;
    const found = smallFiles(libs).filter(smallFile => {
      const [file = '', reader = ''] = smallFile.split(' <- ');
      const together = lengthOf(file) + lengthOf(join(dirname(file), reader));
      return roleOf(file) === undefined && !isTested(file) && together <= 250;
    });
    expect(found).toEqual([]);
  });
});
