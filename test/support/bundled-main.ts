import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const MAKE = join(import.meta.dirname, 'bundle-main.mjs');
const run = promisify(execFile);

/**
 * Bundles a program of the tests with the build of the package into one file, which starts in half the time of 4,000
 * files. Created once per test run.
 *
 * @param main path of its `.main.ts`
 */
export async function bundledMain(main: string): Promise<string> {
  const bundles = process.env['TEST_BUNDLES'];
  if (bundles === undefined) return main;
  mkdirSync(bundles, { recursive: true });
  const folder = join(bundles, relative(ROOT, main).replaceAll(/\W/g, '-'));
  if (!existsSync(folder)) {
    const made = mkdtempSync(join(bundles, 'made-'));
    await run(process.execPath, [MAKE, main, made]);
    try {
      renameSync(made, folder);
    } catch (error) {
      // Another worker has already created the file.
      if (!existsSync(folder)) throw error;
      rmSync(made, { recursive: true });
    }
  }
  return join(folder, basename(main).replace(/\.ts$/, '.js'));
}
