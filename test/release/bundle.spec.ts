import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** Prints the number of files that a program loads to standard error. */
const COUNT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  let files = 0;
  registerHooks({ load: (url, context, next) => (files++, next(url, context)) });
  process.on('exit', () => process.stderr.write('loaded ' + files));`)}`;

it.each(['cli.js', 'main.js'])(
  '%s loads the app from the bundle',
  async program => {
    const file = join(ROOT, 'dist/apps/standalone', program);
    const env = { PATH: process.env['PATH'] ?? '', GOVERNANCE_KEYS: 'wrong' };
    const args = ['--import', COUNT, file, ...(program === 'cli.js' ? ['doctor', '--help'] : [])];
    const { stderr } = await promisify(execFile)(process.execPath, args, { env }).catch(
      (error: { stderr: string }) => error,
    );
    const loaded = Number(/loaded (\d+)/.exec(stderr)?.[1]);
    expect(loaded).toBeGreaterThan(10);
    expect(loaded).toBeLessThan(1_000);
  },
  120_000,
);
