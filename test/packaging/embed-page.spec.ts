import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf } from '../docs/markdown.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { installPacked, manifest, ROOT, run, type PackedHost } from './packed-host.js';

const PAGE = 'docs/embed.md';
const KEYS = `k1:${Buffer.alloc(32, 5).toString('base64')}`;
const EXAMPLES = ['express-host', 'fastify-host'].map(name => `apps/examples/${name}`);

/** The code of a reader who follows the page to its end. */
const FOLLOW = `
import { createGateway } from './gateway.js';
import { createIntranet } from './intranet.js';
import { firstOrganization } from './first-organization.js';
import { migrateGovernance } from './migrate.js';
import { createShop } from './shop.js';

const { DATABASE_URL: databaseUrl = '', GOVERNANCE_KEYS: governanceKeys = '' } = process.env;
await migrateGovernance(databaseUrl);
for (const [name, created] of [
  ['shop', () => createShop()],
  ['gateway', () => createGateway({ databaseUrl, governanceKeys })],
  ['intranet', () => createIntranet(databaseUrl, governanceKeys)],
] as const) {
  const app = await created();
  await app.listen(0, '127.0.0.1');
  await firstOrganization(app);
  const { status } = await fetch((await app.getUrl()) + '/governance/v1/policies');
  process.stdout.write(name + ' answers ' + status + '\\n');
  await app.close();
}
`;

/** The packages that the linked examples install. */
function packagesOfExamples(): string[] {
  return EXAMPLES.flatMap(folder => {
    // npm keeps to its schema.
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    ) as Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>>;
    return Object.keys({ ...dependencies, ...devDependencies });
  }).filter(name => name !== manifest.name);
}

/** The files of the page, and the files of the linked examples that these import. */
function writeFiles(folder: string): void {
  const shown = blocksOf(PAGE).filter(({ language }) => language === 'ts');
  const queue = shown.map(({ marks: [file = ''], code }) => ({ file, code }));
  const written = new Set<string>();
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { file, code } = next;
    if (written.has(basename(file)) && !shown.some(({ marks }) => marks[0] === file)) continue;
    written.add(basename(file));
    writeFileSync(join(folder, basename(file)), code);
    for (const [, path = ''] of code.matchAll(/ from '(\.[^']+)\.js';/g)) {
      const imported = normalize(`${join(dirname(file), path)}.ts`);
      if (shown.some(({ marks }) => marks[0] === imported) || written.has(basename(imported))) continue;
      queue.push({ file: imported, code: readFileSync(join(ROOT, imported), 'utf8') });
    }
  }
}

describe(PAGE, () => {
  let packed: PackedHost;
  let database: TestDatabase;

  beforeAll(async () => {
    [packed, database] = await Promise.all([installPacked(), createTestDatabase()]);
  });

  afterAll(async () => {
    packed?.remove();
    await database?.drop();
  });

  it('leads from an empty folder to running hosts', async () => {
    const { folder } = packed;
    for (const name of packagesOfExamples()) {
      const link = join(folder, 'node_modules', name);
      if (existsSync(link)) continue;
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), link);
    }
    packed.write('package.json', JSON.stringify({ type: 'module' }));
    const settings = blocksOf(PAGE).find(({ marks }) => marks[0] === 'tsconfig');
    packed.write('tsconfig.json', settings?.code ?? 'the page shows none');
    writeFiles(folder);
    packed.write('follow.ts', FOLLOW);

    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(await run(process.execPath, [tsc], folder)).toEqual({ status: 0, output: '' });

    const env = [`DATABASE_URL=${database.url}`, `GOVERNANCE_KEYS=${KEYS}`];
    const { status, output } = await run('env', [...env, process.execPath, '--no-warnings', 'follow.js'], folder);
    // Checks only some lines, because the hosts also log by their own configuration.
    const told = output.split('\n').filter(line => /^(governance: |admin token |\w+ answers )/.test(line));
    expect({ status, told, output: status === 0 ? '' : output }).toEqual({
      status: 0,
      told: [
        expect.stringMatching(/^governance: \d+ migrations applied$/),
        expect.stringMatching(/^admin token of organization \S+: \S+$/),
        ...['shop answers 401', 'gateway answers 401', 'intranet answers 401'],
      ],
      output: '',
    });
  });
});
