import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LIBRARIES } from '../../libs/governance/composition/libraries.js';
import { PUBLIC_SERVICES } from '../support/public-services.js';
import { anchorsOf, blocksOf, hasItsOwnTest, linksOf, pages, readPage, ROOT, type Block } from './markdown.js';

const GENERATED = new Set(
  Object.keys(JSON.parse(readPage('docs/reference/hashes.json')) as object).map(name => `docs/reference/${name}`),
);

/** Broken links of a page. */
function brokenLinks(page: string, text: string): string[] {
  return linksOf(text).filter(link => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    // Skips pages that `npm run docs:reference` writes. A fresh clone does not contain them.
    if (GENERATED.has(target)) return false;
    const file = join(ROOT, target);
    if (!existsSync(file)) return true;
    if (anchor === undefined) return false;
    return statSync(file).isDirectory() || !anchorsOf(target === page ? text : readPage(target)).has(anchor);
  });
}

/** Whether a file contains the lines of a block, at any indentation. */
function standsIn(code: string, source: string): boolean {
  if (`\n${source}`.includes(`\n${code}`)) return true;
  const wanted = code.trimEnd().split('\n');
  const lines = source.split('\n');
  return lines.some((line, at) => {
    const indent = ' '.repeat(line.search(/\S|$/));
    return wanted.every((text, offset) => lines[at + offset] === (text === '' ? '' : indent + text));
  });
}

const TESTS_OF_EXAMPLES = [
  'apps/examples/docs-snippets/src/completions.spec.ts',
  'libs/testing/itsm-adapter.contract.spec.ts',
  'test/docs/embed.spec.ts',
  'test/docs/integrate.spec.ts',
  'test/docs/siem.spec.ts',
  'test/docs/write-an-itsm-adapter.spec.ts',
  'test/docs/host-openapi.spec.ts',
  'test/e2e/client.spec.ts',
  'test/e2e/embedding.spec.ts',
  'test/hosts/orms.spec.ts',
];

/** The files that the tests of the examples run, with all files that they import. */
function filesRun(): Set<string> {
  const found = new Set(TESTS_OF_EXAMPLES);
  for (const file of found) {
    for (const [, path = ''] of readPage(file).matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)\.js';/gm)) {
      found.add(`${normalize(join(dirname(file), path))}.ts`);
    }
  }
  return found;
}

const where = ({ page, line }: Block): string => `${page}:${line}`;

describe('the pages', () => {
  it('are all checked', () => {
    expect(pages()).toEqual(
      expect.arrayContaining([
        'README.md',
        'CONTRIBUTING.md',
        'docs/embed.md',
        'docs/llms.txt',
        'docs/reference/README.md',
      ]),
    );
  });

  it.each(pages())('%s has no broken link', page => {
    expect(brokenLinks(page, readPage(page))).toEqual([]);
  });

  it('show only TypeScript from files that the tests compile and run', () => {
    const blocks = pages()
      .flatMap(page => blocksOf(page))
      .filter(block => !hasItsOwnTest(block))
      .filter(({ language }) => /^(ts|typescript|js|javascript)$/.test(language));
    expect(blocks.length).toBeGreaterThan(10);
    const run = filesRun();
    const strays = blocks.filter(({ marks: [file = ''], code }) => {
      return !/^(apps\/examples|test\/hosts)\//.test(file) || !run.has(file) || !standsIn(code, readPage(file));
    });
    expect(strays.map(where)).toEqual([]);
  });

  it('list exactly the services that a host may inject, each with its entry point', async () => {
    const chapter =
      readPage('docs/embed.md')
        .split(/^## /m)
        .find(text => text.startsWith('Services\n')) ?? '';
    const listed = [...chapter.matchAll(/^\| `(\w+)` +\| `([\w/-]+)` /gm)].map(
      ([, name, entryPoint]) => `${name} ${entryPoint}`,
    );
    const entryPoints = ['', '/anomalies', '/incidents', '/itsm', '/policy', '/usage', '/users', '/webhooks'].map(
      path => `nest-llm-governance${path}`,
    );
    const opened = await Promise.all(
      entryPoints.map(async entryPoint => [entryPoint, await import(entryPoint)] as const),
    );
    const offered = PUBLIC_SERVICES.map(provider => {
      const at = opened.find(([, exports]) => Object.values(exports as object).includes(provider))?.[0];
      return `${provider.name} ${at}`;
    });
    expect(new Set(listed)).toEqual(new Set(offered));
  });

  it('list every library that a host may choose, with the libraries that it requires', () => {
    const chapter =
      readPage('docs/embed.md')
        .split(/^## /m)
        .find(text => text.startsWith('Choose libraries\n')) ?? '';
    const listed = [...chapter.matchAll(/^\| `(\w+Module)` +\|[^|]+\|([^|]*)\|$/gm)];
    expect(listed.map(([, name = '']) => name).toSorted()).toEqual(LIBRARIES.map(({ name }) => name).toSorted());
    for (const [, name = '', needs = ''] of listed) {
      const { requires = [] } = LIBRARIES.find(library => library.name === name)?.library ?? {};
      const makers = LIBRARIES.filter(({ library: { exports, ports = [] } }) =>
        requires.some(service => exports.includes(service) || ports.some(({ provide }) => provide === service)),
      );
      // Leaves out UsersModule: a host may use `userDirectory` instead, or another named library already requires
      // UsersModule.
      for (const maker of makers.filter(({ name: made }) => made !== 'UsersModule'))
        expect(needs).toContain(maker.name);
    }
  });

  it('state what every entry point loads', () => {
    const chapter =
      readPage('docs/performance.md')
        .split(/^## /m)
        .find(text => text.startsWith('What the entry points load\n')) ?? '';
    const listed = [...chapter.matchAll(/^\| `(nest-llm-governance[\w/-]*)` /gm)].map(
      ([, entryPoint = '']) => entryPoint,
    );
    const { exports } = JSON.parse(readPage('package.json')) as { exports: object };
    const entryPoints = Object.keys(exports).filter(entryPoint => entryPoint !== './package.json');
    expect(listed.toSorted()).toEqual(
      entryPoints.map(entryPoint => `nest-llm-governance${entryPoint.slice(1)}`).toSorted(),
    );
  });

  it('name every guide in llms.txt', () => {
    const linked = linksOf(readPage('docs/llms.txt')).map(link => normalize(join('docs', link)));
    const guides = pages().filter(page => /^docs\/[^/]+\.md$/.test(page) && !page.endsWith('spec-coverage.md'));
    expect(linked).toEqual(expect.arrayContaining(guides));
  });
});

describe('the checks of the pages', () => {
  it('find a missing file and a missing anchor', () => {
    const text = '# One\n[a](#one) [b](#two) [c](nowhere.md) [d](https://example.com) [e](docs/start.md#usage)\n';
    expect(brokenLinks('README.md', text)).toEqual(['#two', 'nowhere.md']);
  });

  it('find a block that differs from its file by one character', () => {
    const source = 'class A {\n  one() {\n    return 1;\n  }\n}\n';
    expect(standsIn('one() {\n  return 1;\n}\n', source)).toBe(true);
    expect(standsIn('one() {\n  return 2;\n}\n', source)).toBe(false);
  });
});
