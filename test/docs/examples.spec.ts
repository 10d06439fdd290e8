import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMPILE_CACHE } from '../support/compile-cache.js';
import { runCommand } from '../support/bundled-app.js';
import { newDataDir, startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { blocksOf, hasItsOwnTest, pages, ROOT, type Block } from './markdown.js';

/** Commands that are shown and not run here, why not, and what runs them instead. */
const NOT_RUN = [
  { command: 'npm start', reason: 'runs until it is stopped', test: 'test/e2e/standalone.spec.ts' },
  { command: 'npm test', reason: 'is what runs this test', test: 'test/docs/examples.spec.ts' },
  {
    command: /^export URL=\S+\nexport TOKEN=\S+$/,
    reason: 'is filled in by the reader',
    test: 'test/docs/examples.spec.ts',
  },
  {
    command: /^export TOKEN=\$\(cat \.data\/admin-token\)$/,
    reason: 'reads the data folder of the reader',
    test: 'test/e2e/standalone.spec.ts',
  },
  {
    command: /^npm run -s cli -- audit verify --org <id> --expect \d+:[0-9a-f]{64}$/,
    reason: 'needs a row that the reader kept',
    test: 'test/e2e/standalone.spec.ts',
  },
  {
    command: 'npm run -s cli -- doctor --print-grants',
    reason: 'needs a database of its own',
    test: 'test/e2e/role-setups.spec.ts',
  },
  { command: /^npm install nest-llm-governance /, reason: 'asks the registry', test: 'test/packaging/package.spec.ts' },
  {
    command: 'npx nest-llm-governance uninstall --yes',
    reason: 'removes the database of the other examples',
    test: 'test/e2e/uninstall.spec.ts',
  },
  { command: /^node scripts\/import-traces\.mjs /, reason: 'needs the traces', test: 'test/e2e/traces.spec.ts' },
];

/** The two ways to call the command line, without the installing and building that come before it. */
const COMMANDS = `
npm() { [ "$1 $2 $3 $4" = 'run -s cli --' ] || return 127; shift 4; "$NODE" "$CLI" "$@"; }
npx() { [ "$1" = nest-llm-governance ] || return 127; shift; "$NODE" "$CLI" "$@"; }
`;

const shown = pages().filter(page => !page.startsWith('docs/reference/') && page !== 'docs/spec-coverage.md');
const blocks = shown.flatMap(page => blocksOf(page)).filter(block => !hasItsOwnTest(block));
const shell = blocks.filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language));
const POSTED = new Set(['policy', 'usage', 'price']);

const GUIDES_IN_ORDER = ['docs/start.md', 'docs/users.md', 'docs/scim.md', 'docs/devices.md'];

const tested = (block: Block): boolean =>
  (shell.includes(block) && block.marks[0] === 'run') ||
  (block.language === 'json' && POSTED.has(block.marks[0] ?? ''));
const fits = (command: string | RegExp, { code }: Block): boolean =>
  typeof command === 'string' ? code.trim() === command : command.test(code.trim());

describe('the examples', () => {
  let app: StandaloneProcess;
  const dataDir = newDataDir();
  const folders: string[] = [];

  beforeAll(async () => {
    if (!existsSync(join(ROOT, 'dist/apps/standalone/main.js')))
      throw new Error('There is no build: run npm run build.');
    app = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir });
  });

  afterAll(async () => {
    if (app && !app.hasEnded()) await app.end('SIGTERM');
    for (const folder of [dataDir, ...folders]) rmSync(folder, { recursive: true, force: true });
  });

  /** Somebody with an organization and a folder of their own who does what pages show. */
  class Reader {
    private readonly cwd = mkdtempSync(join(tmpdir(), 'governance-docs-'));
    private token = '';
    private orgId = '';

    constructor(private readonly name: string) {
      folders.push(this.cwd);
    }

    async begin(): Promise<void> {
      const args = ['org', 'create', '--name', this.name, '--json'];
      const { stdout } = await runCommand(args, { GOVERNANCE_DATA_DIR: dataDir });
      // The command's documented output.
      ({ token: this.token, org_id: this.orgId } = JSON.parse(stdout) as { token: string; org_id: string });
    }

    async send(method: string, path: string, body: unknown): Promise<{ status: number; body: unknown }> {
      const response = await fetch(app.url + path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    }

    bash(script: string): Promise<{ code: number | null; output: string; errors: string }> {
      const env = {
        ...COMPILE_CACHE,
        PATH: process.env['PATH'] ?? '',
        HOME: this.cwd,
        NODE: process.execPath,
        CLI: join(ROOT, 'dist', 'apps', 'standalone', 'cli.js'),
        URL: app.url,
        TOKEN: this.token,
        ORG: this.orgId,
        GOVERNANCE_DATA_DIR: dataDir,
      };
      const child = spawn('bash', ['-euo', 'pipefail', '-c', COMMANDS + script], { cwd: this.cwd, env });
      let output = '';
      let errors = '';
      child.stdout.on('data', chunk => (output += String(chunk)));
      child.stderr.on('data', chunk => (errors += String(chunk)));
      return new Promise(done => child.once('close', code => done({ code, output, errors })));
    }

    /** Sends what the page shows. Usage is of today: the page's times grow older than the app takes. */
    post({ marks: [kind], code }: Block): Promise<{ status: number; body: unknown }> {
      const body: unknown = JSON.parse(code.replaceAll(/("occurred_at": ")[^"]+/g, `$1${new Date().toISOString()}`));
      if (kind === 'policy') return this.send('POST', '/v1/policies', body);
      return kind === 'usage' ? this.send('POST', '/v1/usage/events', body) : this.send('PUT', '/v1/prices', body);
    }
  }

  async function follow(reader: Reader, block: Block): Promise<void> {
    if (block.language === 'json') {
      const answer = await reader.post(block);
      expect([200, 201]).toContain(answer.status);
      if (block.marks[0] === 'usage') expect(answer.body).toMatchObject({ duplicates: 0, rejected: [] });
      return;
    }
    const result = await reader.bash(block.code);
    expect(result).toMatchObject({ code: 0, output: expect.stringContaining(block.expect ?? '') });
  }

  const ofPage = (page: string): (readonly [string, Block])[] =>
    blocks
      .filter(block => block.page === page && tested(block))
      .map(block => [`${page}:${block.line}`, block] as const);

  // Each with an organization of its own, so that pages can be read in any order.
  describe.each([...new Set(blocks.filter(tested).map(({ page }) => page))])('of %s', page => {
    const reader = new Reader(page);

    beforeAll(async () => {
      await reader.begin();
      const ada = { email: 'ada@example.com', name: 'Ada Lovelace' };
      if (page === 'docs/usage.md') await reader.send('POST', '/v1/users', ada);
    });

    it.each(ofPage(page))('work: %s', (_place, block) => follow(reader, block));
  });

  // As somebody reads them who sets up people and devices.
  describe('of the guides about people and devices, one after the other in one organization', () => {
    const reader = new Reader('Reads on');
    const guides = GUIDES_IN_ORDER.filter(page => shown.includes(page));

    beforeAll(() => reader.begin());

    it.each(guides.flatMap(ofPage))('work: %s', (_place, block) => follow(reader, block));
  });
});

describe('commands that are not run', () => {
  const silent = shell.filter(block => !tested(block));

  it('are few, each with its reason and another test', () => {
    const strays = silent.filter(block => !NOT_RUN.some(({ command }) => fits(command, block)));
    expect(strays.map(({ page, line, code }) => `${page}:${line} ${code}`)).toEqual([]);
    for (const { test } of NOT_RUN) expect(existsSync(join(ROOT, test))).toBe(true);
  });

  it('are listed only where a page shows them', () => {
    const idle = NOT_RUN.filter(({ command }) => !silent.some(block => fits(command, block)));
    expect(idle).toEqual([]);
  });
});

describe('the pages', () => {
  it('say how every block of code is tested: no block has a language that nothing runs', () => {
    const known = new Set(['sh', 'ts', 'json', 'sql', 'text', '']);
    expect(blocks.filter(({ language }) => !known.has(language)).map(({ page, line }) => `${page}:${line}`)).toEqual(
      [],
    );
    const bare = blocks.filter(block => block.language === 'json' && !tested(block));
    expect(bare.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});
