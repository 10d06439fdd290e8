import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..', '..');

describe('a worker that runs several test files', () => {
  let output: string;

  beforeAll(() => {
    const config = {
      rootDir: ROOT,
      roots: ['<rootDir>/test/support/runner/cases'],
      testMatch: ['**/*.case.ts'],
      transform: {},
      testEnvironment: '<rootDir>/test/support/runner/environment.mjs',
      testRunner: '<rootDir>/test/support/runner/framework.mjs',
    };
    const jest = [join('node_modules', 'jest', 'bin', 'jest.js'), '--config', JSON.stringify(config), '--runInBand'];
    const { stdout, stderr } = spawnSync(process.execPath, jest, { cwd: ROOT, encoding: 'utf8' });
    output = stdout + stderr;
  });

  it('gives each file an unchanged process and newly loaded helpers', () => {
    expect(output).toContain('PASS test/support/runner/cases/first.case.ts');
    expect(output).toContain('PASS test/support/runner/cases/second.case.ts');
  });

  it('shows where a test failed, and the output of its file', () => {
    expect(output).toMatch(
      /What test\/support\/runner\/cases\/failing\.case\.ts wrote.*\nwritten by a file that fails\n/,
    );
    expect(output).toContain('(test/support/runner/cases/failing.case.ts:5:13)');
  });

  it('does not show the output of files that pass', () => {
    expect(output).not.toContain('written by a file that passes');
  });
});
