import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../..');

interface Dependency {
  module: string;
  resolved: string;
  dependencyTypes: string[];
}

/** The parts of dependency-cruiser's result that these tests read. */
export interface Cruise {
  modules: { source: string; dependencies: Dependency[] }[];
  summary: { violations: { from: string; to: string; rule: { name: string } }[] };
}

/** Runs dependency-cruiser with the project's rules on a folder that is laid out like the project, or on parts of it. */
export async function cruise(folder: string, parts: readonly string[] = ['libs', 'apps', 'test']): Promise<Cruise> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...parts],
    ],
    { cwd: folder, maxBuffer: 256 * 1024 * 1024 },
  );
  // This is the form that dependency-cruiser's result schema describes.
  return JSON.parse(stdout) as Cruise;
}

/** One line per violation: rule, from, to. */
export function violationsOf({ summary }: Cruise): string[] {
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
}

/** Copies the project's sources. Tests add files to the copy, so the project stays unchanged. */
export function copyProject(): { folder: string; write(file: string, code: string): void; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'governance-architecture-')));
  for (const part of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs', 'libs', 'apps', 'scripts', 'test']) {
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: path => !['node_modules', 'dist'].includes(basename(path)),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    write(file, code) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), code);
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
