import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EgressErrorCode } from '#egress';
import { EVENT_CATALOGUE } from '../../libs/outbox/events/index.js';
import { deliveryHeaders, newSigningSecret, RETRY_DELAYS_MS } from '../../libs/webhooks/decide/index.js';
import { blocksOf, readPage } from './markdown.js';

const PAGE = 'docs/webhooks.md';

interface Program {
  /** The command that compiles the program once. Missing if `run` also compiles. */
  compile?: readonly [string, ...string[]];
  run: readonly [string, ...string[]];
  probe: readonly [string, ...string[]];
  major: number;
}

/**
 * The command that runs each program of the page. It must answer `--version` (or similar) with at least the given major
 * version.
 */
const PROGRAMS: Record<string, Program> = {
  'verify.ts': { run: [process.execPath], probe: [process.execPath, '--version'], major: 22 },
  'verify.py': { run: ['python3'], probe: ['python3', '--version'], major: 3 },
  'verify.go': { run: ['go', 'run'], probe: ['go', 'version'], major: 1 },
  'Verify.java': {
    // The compiler that `java Verify.java` uses.
    compile: ['java', '-m', 'jdk.compiler/com.sun.tools.javac.Main', 'Verify.java'],
    run: ['java', '-XX:TieredStopAtLevel=1', 'Verify'],
    probe: ['java', '--version'],
    major: 17,
  },
  'verify.rb': { run: ['ruby'], probe: ['ruby', '--version'], major: 3 },
  'verify.php': { run: ['php'], probe: ['php', '--version'], major: 8 },
  'verify.cs': { run: ['dotnet', 'run'], probe: ['dotnet', '--version'], major: 10 },
  'verify.sh': { run: ['sh'], probe: ['openssl', 'version'], major: 1 },
};

/**
 * The codes with which an attempt's error may begin. `aborted` is not among them: an aborted call stores no attempt.
 */
const ERRORS: Record<Exclude<EgressErrorCode, 'aborted'> | 'interrupted', true> = {
  ...{ timeout: true, dns: true, refused_address: true, refused_url: true, connect: true, tls: true },
  ...{ reset: true, protocol: true, interrupted: true },
};

const programs = blocksOf(PAGE).filter(({ marks }) => marks[0] === 'verify' && marks.length === 2);

function isHere({ probe: [command, ...args], major }: Program): boolean {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 });
  return status === 0 && Number(/\d+/.exec(stdout)?.[0]) >= major;
}

const here = Object.entries(PROGRAMS).filter(([, program]) => isHere(program));
const absent = Object.keys(PROGRAMS).filter(file => !here.some(([name]) => name === file));

/** The rows of the table below a heading, cell by cell. */
function tableUnder(heading: string): string[][] {
  const chapter = readPage(PAGE)
    .split(/^##+ /m)
    .find(text => text.startsWith(`${heading}\n`));
  const rows = (chapter ?? '').split('\n').filter(line => line.startsWith('|'));
  return rows.slice(2).map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
}

const hmac = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const SECRET = newSigningSecret();
const BODY = '{"id":"evt_1","data":{"name":"Zoë \u{1F600} \\u0000 \\ud800"}}';
const LONG = JSON.stringify({ text: 'é'.repeat(50_000) });
const GOOD = hmac(SECRET, BODY);

describe('the programs of docs/webhooks.md that verify a signature', () => {
  const folder = mkdtempSync(join(tmpdir(), 'governance-verify-'));
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE: process.execPath, NODE_NO_WARNINGS: '1' };

  beforeAll(() => {
    for (const { marks, code } of programs) writeFileSync(join(folder, marks[1] ?? ''), code);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are in eight languages, each run by this test if the machine has it', () => {
    expect(programs.map(({ marks }) => marks[1])).toEqual(Object.keys(PROGRAMS));
  });

  describe.each(here)('%s', (file, program) => {
    beforeAll(() => {
      const [command, ...args] = program.compile ?? [];
      if (command === undefined) return;
      const { status, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    });

    function judge(given: { SECRET?: string; SIGNATURE?: string }, body: string): string {
      const [command, ...args] = program.run;
      // The command of a compiled program already names the program.
      if (!program.compile) args.push(file);
      const options = {
        cwd: folder,
        env: { ...env, ...given },
        input: body,
        timeout: 60_000,
        encoding: 'utf8',
      } as const;
      const { status, stderr } = spawnSync(command, args, options);
      if (status === 0) return 'accepted';
      return status === 1 && stderr === '' ? 'refused' : `broken: ${status} ${stderr}`;
    }

    it('accepts every body that is signed with the secret', () => {
      expect(judge({ SECRET, SIGNATURE: GOOD }, BODY)).toBe('accepted');
      expect(judge({ SECRET, SIGNATURE: hmac(SECRET, LONG) }, LONG)).toBe('accepted');
    });

    it('refuses an altered body', () => {
      for (const body of [BODY.replace('evt_1', 'evt_2'), `${BODY}\n`, '']) {
        expect(judge({ SECRET, SIGNATURE: GOOD }, body)).toBe('refused');
      }
    });

    it('refuses another secret', () => {
      expect(judge({ SECRET: newSigningSecret(), SIGNATURE: GOOD }, BODY)).toBe('refused');
      expect(judge({ SECRET: SECRET.slice('whsec_'.length), SIGNATURE: GOOD }, BODY)).toBe('refused');
    });

    it('refuses another signature, half a signature, and a missing one', () => {
      for (const SIGNATURE of [hmac('x', BODY), GOOD.slice(0, -1), GOOD.slice('sha256='.length), 'sha256=', '']) {
        expect(judge({ SECRET, SIGNATURE }, BODY)).toBe('refused');
      }
    });

    it('does not treat a missing secret as an empty one', () => {
      expect(judge({ SECRET: '', SIGNATURE: hmac('', BODY) }, BODY)).not.toBe('accepted');
      expect(judge({ SIGNATURE: hmac('', BODY) }, BODY)).not.toBe('accepted');
    });
  });

  // These programs are skipped and not left out, so that the run reports them. `each` refuses an empty table.
  // oxlint-disable-next-line jest/no-disabled-tests
  if (absent.length > 0) it.skip.each(absent)('%s (skipped: this machine lacks its runtime)', () => {});

  it('accept the example request of the page', () => {
    const shown = blocksOf(PAGE).find(({ marks }) => marks.join(' ') === 'verify');
    const script = `node() { "$NODE" "$@"; }\n${shown?.code}`;
    const { stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, encoding: 'utf8' });
    expect(stdout).toBe('accepted\n');
  });
});

describe('docs/webhooks.md', () => {
  it('shows TypeScript that is compiled and linted with the tests', () => {
    const shown = programs.find(({ language }) => language === 'ts');
    const compiled = new URL('./webhook-snippets/verify.ts', import.meta.url);
    expect(shown?.code).toBe(readFileSync(compiled, 'utf8'));
  });

  it('shows the same event as the catalog', () => {
    const shown = blocksOf(PAGE).filter(({ marks }) => marks[0] === 'event');
    expect(shown.map(({ code }) => JSON.stringify(JSON.parse(code)))).toEqual([
      JSON.stringify(EVENT_CATALOGUE[0]?.example),
    ]);
  });

  it('lists every header of a delivery', () => {
    const headers = deliveryHeaders({
      ...{ serviceName: 'Service', secrets: { current: SECRET, previous: newSigningSecret() }, userAgent: '' },
      ...{ eventId: 'evt_1', timestamp: new Date(), body: Buffer.from(BODY) },
    });
    const listed = tableUnder('What arrives').map(([name = '']) => name.replaceAll('`', '').toLowerCase());
    expect(listed).toEqual(Object.keys(headers).map(name => name.toLowerCase()));
  });

  it("explains every possible beginning of an attempt's error", () => {
    const words = tableUnder('Look into the log').map(([word = '']) => word.replaceAll('`', ''));
    expect(words.filter(word => word in ERRORS)).toEqual(Object.keys(ERRORS));
  });

  it('states the actual retry schedule', () => {
    const kept = RETRY_DELAYS_MS.map((ms, at) => [String(at + 1), spoken(ms)]);
    expect(tableUnder('Retries')).toEqual(kept);
  });
});

function spoken(ms: number): string {
  if (ms === 0) return 'none';
  const [count, unit] = ms < 60_000 ? [ms / 1000, 'second'] : [ms / 60_000, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
