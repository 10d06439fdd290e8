import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_FULL, newChance } from '../faults/processes/chance.js';
import { COMPILE_CACHE } from '../support/compile-cache.js';
import { newDataDir, runToEnd, startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { blocksOf, hasItsOwnTest, linksOf, pages, readPage, ROOT, type Block } from './markdown.js';

/** Commands on the pages that this test does not run. Each entry has the reason and what runs the command instead. */
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
  {
    command: /^npm run -s cli -- org suspend .*\nnpm run -s cli -- org resume /,
    reason: 'stops the organization of the other examples',
    test: 'test/e2e/operator-commands.spec.ts',
  },
  {
    command:
      /^npm run -s cli -- org suspend .*\nsleep 60\nGOVERNANCE_MIGRATION_URL=\S+ \\\n {2}npm run -s cli -- org delete /,
    reason: 'deletes the organization of the other examples',
    test: 'test/faults/processes/killed-deletion.spec.ts',
  },
  { command: /^npm install nest-llm-governance /, reason: 'asks the registry', test: 'test/packaging/package.spec.ts' },
  {
    command: 'npx nest-llm-governance uninstall --yes',
    reason: 'removes the database of the other examples',
    test: 'test/e2e/uninstall.spec.ts',
  },
  { command: /^buildah build /, reason: 'needs buildah', test: 'test/deploy/image.mjs' },
  { command: /^kubectl /, reason: 'needs a cluster', test: 'test/deploy/deploy.spec.ts' },
  { command: /^npm ci --omit=dev /, reason: 'asks the registry', test: 'test/deploy/image.mjs' },
  {
    command: /^GOVERNANCE_MIGRATION_URL=\S+ governance migrate$/,
    reason: 'needs a server of its own',
    test: 'test/e2e/role-setups.spec.ts',
  },
  { command: /^OTEL_\S+ npm start$/, reason: 'runs until it is stopped', test: 'test/e2e/otel-traces.spec.ts' },
  { command: /^node scripts\/import-traces\.mjs /, reason: 'needs the traces', test: 'test/e2e/traces.spec.ts' },
  { command: /^npm run campaign /, reason: 'runs for minutes', test: 'test/campaign/campaign.spec.ts' },
  { command: /^haproxy -c /, reason: 'needs HAProxy', test: 'test/scale/haproxy.spec.ts' },
  {
    command: /^DATABASE_URL=\S+\nGOVERNANCE_CHANGES_LISTEN_URL=/,
    reason: 'are settings, with the reader\u2019s servers',
    test: 'test/scale/pgbouncer.spec.ts',
  },
  { command: /^apt-get install patroni /, reason: 'installs packages', test: 'test/scale/failover.spec.ts' },
  { command: /^pg_basebackup /, reason: 'needs a second server', test: 'test/scale/report-replica.spec.ts' },
  { command: /^promtool check rules /, reason: 'needs promtool', test: 'test/docs/metrics.spec.ts' },
  { command: /^useradd /, reason: 'makes users of the machine', test: 'test/deploy/deploy.spec.ts' },
  { command: /^kubectl --namespace governance patch /, reason: 'needs a cluster', test: 'test/deploy/deploy.spec.ts' },
];

/** The beginning of a line that a reader types, in a block of any language. */
const TYPED =
  /^(?:sudo |ALTER |CREATE |DELETE |DROP |GRANT |INSERT |SELECT |UPDATE |SET ROLE |(?:[A-Z_]+=\S* )*(?:governance|npm|npx|node|docker|podman|buildah|kubectl|systemctl|useradd|usermod|mkdir|ln|cp|psql|pg_\w+|promtool|curl|haproxy|openssl) )/m;

/**
 * A reader's terminal. It keeps variables, functions and the folder from one block to the next. The command line can be
 * called in two ways. Here both work without installing and building first.
 */
const TERMINAL = `
set -a
[ ! -e "$SHELL_STATE" ] || . "$SHELL_STATE"
trap '{ export -p; declare -f; printf "cd %q\\n" "$PWD"; } > "$SHELL_STATE"' EXIT
npm() { [ "$1 $2 $3 $4" = 'run -s cli --' ] || return 127; shift 4; "$NODE" "$CLI" "$@"; }
npx() { [ "$1" = nest-llm-governance ] || return 127; shift; "$NODE" "$CLI" "$@"; }
`;

const shown = pages().filter(page => !page.startsWith('docs/reference/') && page !== 'docs/spec-coverage.md');
const blocks = shown.flatMap(page => blocksOf(page)).filter(block => !hasItsOwnTest(block));
const shell = blocks.filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language));
const POSTED = new Set(['policy', 'usage', 'price']);

const tested = (block: Block): boolean =>
  (shell.includes(block) && block.marks[0] === 'run') ||
  (block.language === 'json' && POSTED.has(block.marks[0] ?? ''));
/** The output that the page shows right after a block. `…` stands for any text. */
function outputShown(block: Block): RegExp[] {
  const next = blocks[blocks.indexOf(block) + 1];
  if (next?.page !== block.page || next.marks[0] !== 'output') return [];
  const parts = next.code.trim().split('…');
  return [new RegExp(parts.map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*'), 's')];
}

const fits = (command: string | RegExp, { code }: Block): boolean =>
  typeof command === 'string' ? code.trim() === command : command.test(code.trim());

const runnable = blocks.filter(tested);
/** Pages with examples, in the order of docs/llms.txt. */
const guides = [...new Set([...linksOf(readPage('docs/llms.txt')).map(link => `docs/${link}`), ...shown])].filter(
  page => runnable.some(block => block.page === page),
);

const chance = newChance();

/**
 * The orders in which readers follow the guides. With `FAULTS=full`, also the order of the pages, forward and backward.
 */
const ORDERS = [
  { name: `in random order (FAULTS_SEED=${chance.seed})`, order: shuffled(guides) },
  ...(IS_FULL
    ? [
        { name: 'one after the other', order: guides },
        { name: 'from the last to the first', order: guides.toReversed() },
      ]
    : []),
];

function shuffled(pages: readonly string[]): string[] {
  const mixed = [...pages];
  for (let left = mixed.length; left > 1; left--) {
    const [drawn = ''] = mixed.splice(chance.below(left), 1);
    mixed.push(drawn);
  }
  return mixed;
}

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

  /** A reader with an organization, a folder and a shell who runs the commands of pages. */
  class Reader {
    readonly cwd = mkdtempSync(join(tmpdir(), 'governance-docs-'));
    private readonly home = mkdtempSync(join(tmpdir(), 'governance-docs-home-'));
    private readonly shell = join(this.home, 'shell');
    private token = '';
    private orgId = '';

    constructor() {
      folders.push(this.cwd, this.home);
    }

    begin({ token, orgId }: { token: string; orgId: string }): void {
      [this.token, this.orgId] = [token, orgId];
    }

    /** Opens a new terminal: variables, functions and the folder are reset. */
    openTerminal(): void {
      rmSync(this.shell, { force: true });
    }

    async send(method: string, path: string, body: unknown): Promise<{ status: number; body: unknown }> {
      const response = await fetch(app.url + path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    }

    /** Runs a command in the terminal, which keeps variables, functions and the folder. */
    bash(script: string): Promise<{ code: number | null; output: string; errors: string }> {
      const env = {
        ...COMPILE_CACHE,
        PATH: process.env['PATH'] ?? '',
        HOME: this.home,
        TMPDIR: this.home,
        NODE: process.execPath,
        CLI: join(ROOT, 'dist', 'apps', 'standalone', 'cli.js'),
        SHELL_STATE: this.shell,
        URL: app.url,
        TOKEN: this.token,
        ORG: this.orgId,
        GOVERNANCE_DATA_DIR: dataDir,
      };
      const child = spawn('bash', ['-euo', 'pipefail', '-c', TERMINAL + script], { cwd: this.cwd, env });
      let output = '';
      let errors = '';
      child.stdout.on('data', chunk => (output += String(chunk)));
      child.stderr.on('data', chunk => (errors += String(chunk)));
      return new Promise(done => child.once('close', code => done({ code, output, errors })));
    }

    /**
     * Sends the request of the page. Usage gets the current time, because the app refuses times as old as those on the
     * page.
     */
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
    for (const shown of outputShown(block)) expect(result.output).toMatch(shown);
  }

  const ofPage = (page: string): (readonly [string, Block])[] =>
    runnable.filter(block => block.page === page).map(block => [`${page}:${block.line}`, block] as const);

  // A guide must work without the data of other guides. In these orders, no guide can rely on data of an earlier one.
  describe.each(ORDERS)('of all guides, $name in one organization', ({ order }) => {
    const reader = new Reader();

    beforeAll(async () => {
      const args = ['org', 'create', '--name', 'Reads the guides', '--json'];
      const { stdout } = await runToEnd('cli', args, { GOVERNANCE_DATA_DIR: dataDir });
      // The documented output of the command.
      const { token, org_id: orgId } = JSON.parse(stdout) as { token: string; org_id: string };
      reader.begin({ token, orgId });
    });

    describe.each(order)('of %s', page => {
      beforeAll(() => reader.openTerminal());

      it.each(ofPage(page))('work: %s', (_place, block) => follow(reader, block));
    });

    it('leave only the files that the pages name, and no key', () => {
      expect(readdirSync(reader.cwd).toSorted()).toEqual([
        'governance.yaml',
        'history.csv',
        'people.csv',
        'report.ndjson',
        'usage.csv',
      ]);
    });
  });
});

describe('commands that are not run', () => {
  // Only pages in docs: the hosts of the examples are built and run as a whole.
  const disguised = blocks.filter(
    ({ page, language, code }) =>
      page.startsWith('docs/') && ['', 'text', 'sql'].includes(language) && TYPED.test(code),
  );
  const silent = [...shell.filter(block => !tested(block)), ...disguised];

  it('are few, each with its reason and another test', () => {
    const strays = silent.filter(block => !NOT_RUN.some(({ command }) => fits(command, block)));
    expect(strays.map(({ page, line, code }) => `${page}:${line} ${code}`)).toEqual([]);
    for (const { test } of NOT_RUN) expect(existsSync(join(ROOT, test))).toBe(true);
  });

  it('are all shown on a page', () => {
    const idle = NOT_RUN.filter(({ command }) => !silent.some(block => fits(command, block)));
    expect(idle).toEqual([]);
  });
});

describe('the pages', () => {
  it('say for every block of code how it is tested: no block has a language that no test runs', () => {
    const known = new Set(['sh', 'ts', 'json', 'sql', 'text', '']);
    expect(blocks.filter(({ language }) => !known.has(language)).map(({ page, line }) => `${page}:${line}`)).toEqual(
      [],
    );
    const strays = blocks.filter(
      (block, at) => block.marks[0] === 'output' && !shell.includes(blocks[at - 1] ?? block),
    );
    expect(strays.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
    const bare = blocks.filter(block => block.language === 'json' && !tested(block));
    expect(bare.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});
