import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publint } from 'publint';
import { linksOf } from '../docs/markdown.js';
import { IS_FULL, newChance } from '../faults/processes/chance.js';
import { installPacked, manifest, ROOT, run, type PackedHost } from './packed-host.js';

const ENTRY_POINTS = Object.keys(manifest.exports)
  .filter(entryPoint => entryPoint !== './package.json')
  .map(entryPoint => manifest.name + entryPoint.slice(1));
/**
 * The condition by which this repository's tools resolve imports to the sources. Its name is unlikely, so that no host
 * sets it by chance.
 */
const SOURCE_CONDITION = `@${manifest.name}/source`;
/** Files that `npm run docs:reference` writes. A fresh clone does not contain them. */
const GENERATED = new Set(
  Object.keys(JSON.parse(readFileSync(join(ROOT, 'docs/reference/hashes.json'), 'utf8')) as object).map(
    name => `docs/reference/${name}`,
  ),
);
const TYPE_FAULTS = join(ROOT, 'test/support/type-faults.mjs');

const SAMPLE = `
import { Module } from '@nestjs/common';
import { GovernanceModule, type ForRootOptions } from 'nest-llm-governance';
${ENTRY_POINTS.map((entryPoint, i) => `import * as entryPoint${i} from '${entryPoint}';`).join('\n')}

export const entryPoints = [${ENTRY_POINTS.map((_, i) => `entryPoint${i}`).join(', ')}];
const options: ForRootOptions = { database: { url: 'postgres://localhost/x' }, keys: 'k1:x' };

@Module({ imports: [GovernanceModule.forRoot(options)] })
export class Host {}

// @ts-expect-error the database has an address
GovernanceModule.forRoot({ database: {}, keys: 'k1:x' });
`;

describe('the published package', () => {
  let host: PackedHost;

  beforeAll(async () => {
    host = await installPacked();
  });

  afterAll(() => host.remove());

  it('contains only the build, its types, the pages, the examples, license and readme', () => {
    const others = host.files.filter(
      file => !/^(dist\/.+\.(js|d\.ts)|dist\/dashboard\/.+|docs\/.+|deploy\/.+|apps\/examples\/.+)$/.test(file),
    );
    expect(others.sort()).toEqual([
      ...['.env.example', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'],
    ]);
    expect(
      host.files.filter(file => /\.(spec|test)\.|(^|\/)(test|bench)\/|\.map$|\.env$|node_modules/.test(file)),
    ).toEqual([]);
  });

  it("contains the targets of its pages' links", () => {
    const packed = new Set(host.files.flatMap(file => [file, ...foldersOf(file)]));
    const read = host.files.filter(file => file.endsWith('.md') && !GENERATED.has(file));
    expect(read).toEqual(
      expect.arrayContaining(['README.md', 'docs/embed.md', 'docs/adr/0001-one-package-many-entry-points.md']),
    );
    const broken = read.flatMap(page =>
      linksOf(readFileSync(join(host.installed, page), 'utf8'))
        .filter(link => !/^([a-z]+:|#)/.test(link))
        .map(link => normalize(join(dirname(page), link.split('#')[0] ?? '')).replace(/\/$/, ''))
        .filter(target => !packed.has(target) && !GENERATED.has(target))
        .map(target => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('contains every migration of the sources', async () => {
    const { output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'libs'], ROOT);
    const sources = output.split('\n').filter(file => file.endsWith('.migration.ts') && existsSync(join(ROOT, file)));
    expect(sources.length).toBeGreaterThan(0);
    expect(host.files).toEqual(expect.arrayContaining(sources.map(file => `dist/${file.replace(/\.ts$/, '.js')}`)));
  });

  it('names only files that it contains, except under the condition of this repository', () => {
    const packed: unknown = JSON.parse(readFileSync(join(host.installed, 'package.json'), 'utf8'));
    for (const target of targetsOf(packed)) {
      const [before = '', after = ''] = target.split('*');
      const named = host.files.filter(file => file.startsWith(before) && file.endsWith(after));
      expect({ target, found: target.includes('*') ? named.length > 1 : named.includes(target) }).toEqual({
        target,
        found: true,
      });
    }
  });

  it('can be imported at every entry point by an ESM host', async () => {
    host.write(
      'esm.mjs',
      `for (const entryPoint of ${JSON.stringify(ENTRY_POINTS)}) {
         const opened = await import(entryPoint);
         console.log(entryPoint, typeof opened);
       }
       const { GovernanceModule } = await import('nest-llm-governance');
       console.log(typeof GovernanceModule.forRootAsync);`,
    );
    const { status, output } = await run(process.execPath, ['esm.mjs'], host.folder);
    expect({ status, output }).toEqual({
      status: 0,
      output: `${ENTRY_POINTS.map(entryPoint => `${entryPoint} object\n`).join('')}function\n`,
    });
  });

  it('can be required by a CommonJS host', async () => {
    host.write(
      'cjs.cjs',
      `const { GovernanceModule } = require('nest-llm-governance');
       ${ENTRY_POINTS.map(entryPoint => `require('${entryPoint}');`).join('\n')}
       console.log(typeof GovernanceModule.forRoot);`,
    );
    const { status, output } = await run(process.execPath, ['--no-warnings', 'cjs.cjs'], host.folder);
    expect({ status, output }).toEqual({ status: 0, output: 'function\n' });
  });

  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('has types for hosts that resolve modules by $moduleResolution', async compilerOptions => {
    host.write('sample.mts', SAMPLE);
    const base = { target: 'es2023', types: ['node'], strict: true, experimentalDecorators: true, noEmit: true };
    host.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { ...base, ...compilerOptions }, files: ['sample.mts'] }),
    );
    // Checks only the sample and this package. `skipLibCheck` would also skip the declarations of this package.
    const ours = ['sample.mts', `node_modules/${manifest.name}`];
    const { status, output } = await run(process.execPath, [TYPE_FAULTS, '.', ...ours], host.folder);
    expect({ status, output }).toEqual({ status: 0, output: '' });
  });

  it('has a command line that runs', async () => {
    const cli = join(host.installed, 'dist/apps/standalone/cli.js');
    const { status, output } = await run(process.execPath, [cli, '--help'], host.folder);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('migrate') });
  });

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: host.installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it('passes are-the-types-wrong, as a package of ES modules only', async () => {
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    // All entry points are built alike, and each takes seconds. Three of them, drawn for each run, stand for the rest.
    const chance = newChance();
    const paths = Object.keys(manifest.exports).filter(path => path !== './package.json');
    const drawn = Array.from({ length: 3 }, () => paths[chance.below(paths.length)] ?? '.');
    const chosen = IS_FULL ? paths : [...new Set(['.', ...drawn])];
    const args = [attw, host.tarball, '--profile', 'esm-only', '--no-emoji', '--no-color', '--entrypoints', ...chosen];
    const { status, output } = await run(process.execPath, args, host.folder);
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  });
});

/** The folders that contain a file, the nearest first. */
function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, parts.length - depth).join('/'));
}

/** Every file that the manifest's exports, imports and bin name. */
function targetsOf(packed: unknown): string[] {
  if (typeof packed === 'string') return packed.startsWith('./') ? [packed.slice(2)] : [];
  if (typeof packed !== 'object' || packed === null) return [];
  const entries = 'exports' in packed ? pick(packed, ['exports', 'imports', 'bin']) : Object.entries(packed);
  return entries.flatMap(([condition, target]) => (condition === SOURCE_CONDITION ? [] : targetsOf(target)));
}

function pick(from: object, keys: string[]): [string, unknown][] {
  return keys.map(key => [key, Reflect.get(from, key)]);
}
