import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { blocksOf, linksOf, readPage, type Block } from './markdown.js';
import { strayNames } from './snippet-names.js';

/** Pages that a reader follows in an empty folder. */
const FOLLOWED = ['docs/embed.md', 'docs/other-orms.md'];

/** Pages that show a file in pieces, with explanations between them. */
const IN_PIECES = ['docs/test-a-host.md', 'docs/write-an-itsm-adapter.md'];

const snippetsOf = (page: string): Block[] => blocksOf(page).filter(({ language }) => language === 'ts');

/** Files that snippets of a page import although neither the page nor a linked guide or example shows them. */
function missingFiles(page: string): string[] {
  const snippets = snippetsOf(page);
  const linked = linksOf(readPage(page)).map(link => normalize(join(dirname(page), link.replace(/#.*/, ''))));
  const guides = [...new Set(linked)].filter(path => /^docs\/[^/]+\.md$/.test(path));
  const shown = new Set([page, ...guides].flatMap(snippetsOf).map(({ marks: [file = ''] }) => file));
  return snippets.flatMap(({ line, marks: [file = ''], code }) =>
    [...code.matchAll(/ from '(\.[^']+)\.js';/g)]
      .map(([, path = '']) => normalize(`${join(dirname(file), path)}.ts`))
      .filter(path => !shown.has(path) && !linked.some(folder => path.startsWith(`${folder}/`)))
      .map(path => `${page}:${line} ${path}`),
  );
}

describe.each(FOLLOWED)('the snippets of %s', page => {
  it('import or declare every name that they use', () => {
    const snippets = snippetsOf(page);
    expect(snippets.length).toBeGreaterThan(5);
    const stray = strayNames(snippets.map(({ code }) => code));
    expect(snippets.flatMap(({ line }, n) => (stray[n] ?? []).map(fault => `${page}:${line} ${fault}`))).toEqual([]);
  });

  it('import files that the page shows, or that a linked guide or example contains', () => {
    expect(missingFiles(page)).toEqual([]);
  });

  it('follow a line that names their file', () => {
    const text = readPage(page).split('\n');
    const nameless = snippetsOf(page).filter(({ line, marks: [file = ''] }) => {
      const above =
        text
          .slice(0, line - 1)
          .join('\n')
          .trimEnd()
          .split('\n\n')
          .at(-1) ?? '';
      return !above.includes(`\`${basename(file)}\``);
    });
    expect(nameless.map(({ line, marks }) => `${page}:${line} ${marks[0]}`)).toEqual([]);
  });
});

describe.each(IN_PIECES)('the snippets of %s', page => {
  it('are the complete file, with its imports, when the pieces of each file are joined', () => {
    const files = Map.groupBy(snippetsOf(page), ({ marks: [file = ''] }) => file);
    expect(files.size).toBeGreaterThan(1);
    for (const [file, pieces] of files) {
      const together = pieces.map(({ code }) => code).join('');
      expect([file, linesOf(together)]).toEqual([file, linesOf(readPage(file))]);
    }
  });

  it('import files that the page shows, or that a linked guide or example contains', () => {
    expect(missingFiles(page)).toEqual([]);
  });
});

/**
 * The lines of a code, trimmed and without empty lines, because a page shows a part of a class without its indentation.
 */
function linesOf(code: string): string[] {
  return code.split('\n').flatMap(line => line.trim() || []);
}

describe('the check of snippets', () => {
  it('finds a name that a snippet neither imports nor declares, and a part of a class', () => {
    const whole = "import { Module } from '@nestjs/common';\n\n@Module({})\nexport class A {}\n";
    const [ok, value, type, part, shorthand] = strayNames([
      whole,
      whole.replace(/^import.*/, ''),
      'export const one: Staff[] = [];\n',
      'async ready(): Promise<string> {\n  return this.text;\n}\n',
      'export const options = { keys };\n',
    ]);
    expect(ok).toEqual([]);
    expect(value).toEqual([expect.stringContaining("'Module'")]);
    expect(type).toEqual([expect.stringContaining("'Staff'")]);
    expect(part).not.toEqual([]);
    expect(shorthand).toEqual([expect.stringContaining("'keys'")]);
  });

  it('knows the globals of Node.js and the language', () => {
    expect(
      strayNames(["process.stdout.write(`${crypto.randomUUID()} ${new Map([['a', BigInt(1)]]).size}`);\n"]),
    ).toEqual([[]]);
  });
});
