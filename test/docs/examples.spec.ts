import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMPILE_CACHE } from '../support/compile-cache.js';
import { HAS_OPENSSL } from '../support/openssl.js';
import { newDataDir, runToEnd, startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
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
  { command: /^npm install nest-llm-governance /, reason: 'asks the registry', test: 'test/packaging/package.spec.ts' },
  { command: /^node scripts\/import-traces\.mjs /, reason: 'needs the traces', test: 'test/e2e/traces.spec.ts' },
];

/** The two ways to call the command line, without the installing and building that come before it. */
const COMMANDS = `
npm() { [ "$1 $2 $3 $4" = 'run -s cli --' ] || return 127; shift 4; "$NODE" "$CLI" "$@"; }
npx() { [ "$1" = nest-llm-governance ] || return 127; shift; "$NODE" "$CLI" "$@"; }
`;

// A machine without the command OpenSSL cannot do what these pages show.
const needsMore = (page: string): boolean => ['docs/devices.md', 'docs/slack.md'].includes(page) && !HAS_OPENSSL;
const shown = pages().filter(
  page => !page.startsWith('docs/reference/') && page !== 'docs/spec-coverage.md' && !needsMore(page),
);
const blocks = shown.flatMap(page => blocksOf(page)).filter(block => !hasItsOwnTest(block));
const shell = blocks.filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language));
const POSTED = new Set(['policy', 'usage', 'price']);

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

  describe.each([...new Set(blocks.filter(tested).map(({ page }) => page))])('of %s', page => {
    const cwd = mkdtempSync(join(tmpdir(), 'governance-docs-'));
    folders.push(cwd);
    let token: string;
    let orgId: string;

    beforeAll(async () => {
      // An organization of its own, so that pages can be read in any order.
      const args = ['org', 'create', '--name', page, '--json'];
      const { stdout } = await runToEnd('cli', args, { GOVERNANCE_DATA_DIR: dataDir });
      // The command's documented output.
      ({ token, org_id: orgId } = JSON.parse(stdout) as { token: string; org_id: string });
      if (page === 'docs/usage.md') await send('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada Lovelace' });
    });

    async function send(method: string, path: string, body: unknown): Promise<{ status: number; body: unknown }> {
      const response = await fetch(app.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    }

    function bash(script: string): Promise<{ code: number | null; output: string; errors: string }> {
      const env = {
        ...COMPILE_CACHE,
        PATH: process.env['PATH'] ?? '',
        HOME: cwd,
        NODE: process.execPath,
        CLI: join(ROOT, 'dist', 'apps', 'standalone', 'cli.js'),
        URL: app.url,
        TOKEN: token,
        ORG: orgId,
        GOVERNANCE_DATA_DIR: dataDir,
      };
      const child = spawn('bash', ['-euo', 'pipefail', '-c', COMMANDS + script], { cwd, env });
      let output = '';
      let errors = '';
      child.stdout.on('data', chunk => (output += String(chunk)));
      child.stderr.on('data', chunk => (errors += String(chunk)));
      return new Promise(done => child.once('close', code => done({ code, output, errors })));
    }

    /** Sends what the page shows. Usage is of today: the page's times grow older than the app takes. */
    function post({ marks: [kind], code }: Block): Promise<{ status: number; body: unknown }> {
      const body: unknown = JSON.parse(code.replaceAll(/("occurred_at": ")[^"]+/g, `$1${new Date().toISOString()}`));
      if (kind === 'policy') return send('POST', '/v1/policies', body);
      return kind === 'usage' ? send('POST', '/v1/usage/events', body) : send('PUT', '/v1/prices', body);
    }

    const ofPage = blocks.filter(block => block.page === page && tested(block));

    it.each(ofPage.map(block => [block.line, block] as const))('work: line %d', async (_line, block) => {
      if (block.language === 'json') {
        const answer = await post(block);
        expect([200, 201]).toContain(answer.status);
        if (block.marks[0] === 'usage') expect(answer.body).toMatchObject({ duplicates: 0, rejected: [] });
        return;
      }
      const result = await bash(block.code);
      expect(result).toMatchObject({ code: 0, output: expect.stringContaining(block.expect ?? '') });
    });
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
    const known = new Set(['sh', 'ts', 'json', 'sql', '']);
    expect(blocks.filter(({ language }) => !known.has(language)).map(({ page, line }) => `${page}:${line}`)).toEqual(
      [],
    );
    const bare = blocks.filter(block => block.language === 'json' && !tested(block));
    expect(bare.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});
