import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COUNT = `
  import { countTests } from './scripts/count-tests.mjs';
  const { passed, failed } = countTests(process.argv.slice(1));
  console.log(passed + ' passed, ' + failed + ' failed');
`;

/** Runs these cases with the command that the checks use to count flaky tests. Returns the output. */
function countCases(...names: string[]): string {
  const config = {
    rootDir: ROOT,
    roots: ['<rootDir>/test/support/runner/flaky'],
    testMatch: names.map(name => `**/${name}.case.ts`),
    transform: {},
    testEnvironment: '<rootDir>/test/support/runner/environment.mjs',
    testRunner: '<rootDir>/test/support/runner/framework.mjs',
  };
  const folder = mkdtempSync(join(tmpdir(), 'flaky-'));
  const args = ['--input-type=module', '--eval', COUNT, '--', `--config=${JSON.stringify(config)}`, '--runInBand'];
  const env = { ...process.env, FLAKY_MARK: join(folder, 'mark') };
  const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  return stdout;
}

describe('the count of the tests', () => {
  it('fails a flaky test by name, and distinguishes it from a broken one', () => {
    const output = countCases('flaky', 'broken', 'unloadable');
    expect(output).toContain(
      [
        'Failed twice:',
        '  test/support/runner/flaky/broken.case.ts › fails each time',
        '  test/support/runner/flaky/unloadable.case.ts',
        '',
        '',
        'Flaky: failed, and passed when run again. This counts as failed:',
        '  test/support/runner/flaky/flaky.case.ts › a file with a flaky test › fails at first',
        '',
        '1 passed, 3 failed',
      ].join('\n'),
    );
  });

  it('lists skipped tests with the reason', () => {
    const output = countCases('skipped');
    const name = 'tests that need something (skipped: no machine has it) › are skipped';
    expect(output).toContain(`Skipped:\n  test/support/runner/flaky/skipped.case.ts › ${name}\n`);
    expect(output).toMatch(/^0 passed, 0 failed$/m);
  });

  it('counts one failure when the run fails without a test', () => {
    expect(countCases('absent')).toMatch(/^0 passed, 1 failed$/m);
  });
});
