import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { lengthFindings, lineCount, missingBinaries, wordFindings, type LockedPackage } from './structure.js';
import { ROOT } from './cruise.js';

/** Files of the project as git lists them: tracked and new files, without ignored ones. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter(file => file !== '' && existsSync(join(ROOT, file)));

/**
 * Specs that were longer than 400 lines when the limit was introduced. Most of these specs start one app for all of
 * their tests, and a second file would start a second app. If you split a spec, remove it from this list.
 */
const LONG_SPECS = new Set([
  'libs/policy/records/decision-recorder.spec.ts',
  'test/contract/policies.spec.ts',
  ...[
    'approvals',
    'budgets',
    'calls',
    'composition',
    'decision-explanation',
    'incidents',
    'itsm/chat',
    'itsm/tickets',
    'policy-decisions',
    'policy-management',
    'policy-simulation',
    'rerating',
    'usage-prices',
    'usage-series',
    'webhooks',
  ].map(name => `test/e2e/${name}.spec.ts`),
]);

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the files of the project', () => {
  it('are short: half of them up to 80 lines, nine of ten up to 200, and longer than 250 only with a reason', () => {
    const code = files.filter(file => /^(libs|apps)\/.*\.tsx?$/.test(file) && !file.endsWith('.spec.ts'));
    expect(code.length).toBeGreaterThan(50);
    expect(lengthFindings(code.map(file => ({ file, text: read(file) })))).toEqual([]);
  });

  it('are at most 400 lines long if they are specs, except a few older ones', () => {
    const specs = files.filter(file => file.endsWith('.spec.ts'));
    expect(specs.length).toBeGreaterThan(200);
    const long = specs.filter(file => lineCount(read(file)) > 400);
    expect(long.filter(file => !LONG_SPECS.has(file))).toEqual([]);
  });

  it('skip tests in one place only, with a reason', () => {
    const specs = files.filter(
      file => /^(libs|apps|test)\/.*\.ts$/.test(file) && !file.startsWith('test/architecture/'),
    );
    const skipping = specs.filter(file => /\b(?:it|test|describe)\.(?:skip|todo)\b/.test(read(file)));
    expect(skipping).toEqual([
      // The contract tests skip the cases that do not apply to an adapter of a host.
      'libs/testing/contract-case.ts',
      'libs/testing/itsm-adapter.contract.ts',
      'test/docs/webhooks.spec.ts',
      'test/support/describe-where.ts',
    ]);
  });

  it('contain no marks of unfinished work and no paths of one machine', () => {
    const texts = files.filter(file =>
      /\.(ts|tsx|mjs|cjs|js|json|md|sql|yml|yaml|html|css|sh)$|(^|\/)(run|Dockerfile)$/.test(file),
    );
    const found = texts
      .filter(file => !file.startsWith('test/architecture/') && basename(file) !== 'package-lock.json')
      .flatMap(file => wordFindings(file, read(file)));
    expect(found).toEqual([]);
  });

  it('install from the registry that npm is configured for', () => {
    for (const file of files.filter(path => basename(path) === 'package-lock.json')) {
      expect({ file, hosts: read(file).match(/"resolved": "[a-z+]+:\/\/.*/g) }).toEqual({ file, hosts: null });
    }
  });
});

describe('the example of an adapter for a third platform', () => {
  const folder = 'apps/examples/github-issues/';

  it('is one folder of at most 150 lines without its tests and its page, as the page says', () => {
    const code = files.filter(file => file.startsWith(folder) && !/\.spec\.ts$|\/README\.md$/.test(file));
    expect(code.map(file => file.slice(folder.length))).toContain('src/github-issues.adapter.ts');
    expect(code.reduce((lines, file) => lines + lineCount(read(file)), 0)).toBeLessThanOrEqual(150);
    expect(read(`${folder}README.md`)).toContain(' 150 lines in one folder');
  });
});

describe('the packages that the project builds on', () => {
  it('are all explained in docs/dependencies.md', () => {
    const manifest = JSON.parse(read('package.json')) as Partial<Record<string, Record<string, string>>>;
    const names = ['dependencies', 'peerDependencies', 'devDependencies'].flatMap(kind =>
      Object.keys(manifest[kind] ?? {}),
    );
    const explained = read('docs/dependencies.md');
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter(name => !explained.includes(`\`${name}\``))).toEqual([]);
  });

  it('are locked for every platform, because npm ci refuses the lock file otherwise', () => {
    // npm keeps to the format of its lock file.
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    expect(missingBinaries(lock.packages)).toEqual([]);
  });
});

describe('the check of the files', () => {
  const lines = (count: number): string => 'x;\n'.repeat(count);

  it('refuses a median above 80 lines and a 90th percentile above 200', () => {
    const many = [...Array(5).fill(10), ...Array(6).fill(90), ...Array(3).fill(240)];
    expect(lengthFindings(many.map((count: number, i) => ({ file: `${i}.ts`, text: lines(count) })))).toEqual([
      'the median is 90 lines, more than 80',
      'the 90th percentile is 240 lines, more than 200',
    ]);
  });

  it('refuses a file above 250 lines that does not begin with a reason', () => {
    const short = Array.from({ length: 20 }, (_, i) => ({ file: `${i}.ts`, text: lines(10) }));
    expect(lengthFindings([...short, { file: 'long.ts', text: lines(251) }])).toEqual([
      'long.ts has 251 lines; split it, or begin it with a comment that says why it is long',
    ]);
    expect(
      lengthFindings([...short, { file: 'long.ts', text: `// Long because it is one table.\n${lines(251)}` }]),
    ).toEqual([]);
  });

  it.each([
    ['// TODO: later', 'a.ts:1: TODO'],
    ['ok\n// FIXME', 'a.ts:2: FIXME'],
    ['see /tmp/notes.md', 'a.ts:1: /tmp/notes'],
    ['in `/home/me/src`', 'a.ts:1: /home/me'],
  ])('finds %j', (text, finding) => {
    expect(wordFindings('a.ts', text)).toEqual([finding]);
  });

  it('finds an optional package that the lock file lacks', () => {
    const packages = {
      '': {},
      'node_modules/tool': { optionalDependencies: { 'tool-linux': '1', 'tool-mac': '1' } },
      'node_modules/tool/node_modules/tool-linux': {},
    };
    expect(missingBinaries(packages)).toEqual(['node_modules/tool needs tool-mac']);
    expect(missingBinaries({ ...packages, 'node_modules/tool-mac': {} })).toEqual([]);
  });

  it('does not report the paths of URLs', () => {
    expect(wordFindings('a.ts', 'https://example.com/home/item and /v1/home/items')).toEqual([]);
  });
});
