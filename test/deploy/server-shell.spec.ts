import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf, ROOT } from '../docs/markdown.js';

const SETTINGS_OF_THE_UNIT = '/etc/nest-llm-governance.env';
/** No process listens at this address. */
const DATABASE = 'postgres://worker:it&s@127.0.0.1:9/own?application_name=a&connect_timeout=1';
const PROVIDERS =
  '[{"issuer":"https://login.example.com","audience":"a b","jwksUri":"https://login.example.com/$keys"}]';

/** Runs the shell commands of the server guide, with the app and the settings of this test. */
function shellOfTheGuide(settings: string): string {
  const block = blocksOf('docs/operate.md').find(({ marks }) => marks[0] === 'server');
  const code = block?.code ?? 'the guide has no block server';
  expect(code).toContain('\ngovernance doctor\n');
  return code
    .replace('/opt/nest-llm-governance', ROOT)
    .replace(SETTINGS_OF_THE_UNIT, settings)
    .replace('\ngovernance doctor\n', '\n');
}

describe('the shell of the guide on a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'governance-server-'));
  const settings = join(folder, 'settings.env');

  beforeAll(() => {
    if (!existsSync(join(ROOT, 'dist/apps/standalone/cli.js')))
      throw new Error('There is no build: run npm run build.');
    const keys = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
    const values = { DATABASE_URL: DATABASE, GOVERNANCE_KEYS: keys, GOVERNANCE_IDENTITY_PROVIDERS: PROVIDERS };
    writeFileSync(
      settings,
      Object.entries(values)
        .map(([name, value]) => `${name}='${value}'\n`)
        .join(''),
    );
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const saidBy = (command: string): string => {
    const env = { PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH']}`, HOME: folder };
    const script = shellOfTheGuide(settings) + command;
    const { stdout, stderr } = spawnSync('bash', ['-euc', script], { cwd: folder, env, encoding: 'utf8' });
    return stdout + stderr;
  };

  it('calls the command line with the settings of the unit, whatever characters they contain', () => {
    const printed = saidBy('node -p "process.env.DATABASE_URL + process.env.GOVERNANCE_IDENTITY_PROVIDERS"');
    expect(printed).toContain(DATABASE + PROVIDERS);
    expect(saidBy('governance doctor --print-grants')).toContain('Set GOVERNANCE_MIGRATION_URL');
  });

  it('prefers a variable of the call to the one in the file', () => {
    const migration = "GOVERNANCE_MIGRATION_URL='postgres://owner:x@127.0.0.1:9/copy'";
    expect(saidBy(`${migration} governance doctor --print-grants`)).toContain('connect ECONNREFUSED 127.0.0.1:9');
    expect(saidBy('DATABASE_URL=nonsense governance doctor')).toContain('DATABASE_URL must be a URL');
  });
});

describe('the link of the guide to the version that runs', () => {
  const root = mkdtempSync(join(tmpdir(), 'governance-versions-'));

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Runs a block of the guide below `root` instead of `/opt`, and without restarting the service. */
  function type(mark: string): void {
    const code = blocksOf('docs/operate.md').find(({ marks }) => marks[0] === mark)?.code ?? 'false # no block';
    const script = code.replaceAll('/opt/', `${root}/`).replace(/^systemctl restart .*\n/m, '');
    expect(spawnSync('bash', ['-euc', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  }

  it('is created by the installation and replaced by an upgrade', () => {
    const link = join(root, 'nest-llm-governance');
    type('first-link');
    expect(readlinkSync(link)).toBe(join(root, 'nest-llm-governance-0.1.0'));
    mkdirSync(join(root, 'nest-llm-governance-0.2.0'));
    type('next-link');
    expect(readlinkSync(link)).toBe(join(root, 'nest-llm-governance-0.2.0'));
  });
});
