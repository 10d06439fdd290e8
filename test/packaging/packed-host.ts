import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPILE_CACHE } from '../support/compile-cache.js';

export const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'node_modules/.bin');

/** The fields of package.json that these tests read. */
export interface Manifest {
  name: string;
  exports: Record<string, unknown>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
  devDependencies: Record<string, string>;
}

// npm keeps to its schema.
export const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The output and exit code of a command. */
export interface Outcome {
  status: number;
  output: string;
}

/** Runs a command of the project or of the machine. Does not throw if it fails. */
export function run(command: string, args: string[], cwd: string): Promise<Outcome> {
  const env = {
    ...process.env,
    ...COMPILE_CACHE,
    NODE_OPTIONS: '',
    PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`,
  };
  return new Promise(done => {
    execFile(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      done({ status, output: stdout + stderr || (error?.message ?? '') });
    });
  });
}

async function mustRun(command: string, args: string[], cwd: string): Promise<string> {
  const { status, output } = await run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
  return output;
}

/** A project with the package installed as it would be published. */
export interface PackedHost {
  tarball: string;
  /** Paths of the files in the tarball. */
  files: string[];
  folder: string;
  /** The installed package. */
  installed: string;
  write(file: string, text: string): void;
  remove(): void;
}

/**
 * Packs the package and installs it into an empty host with its dependencies and peers. The dependencies are links to
 * this repository's packages, so that no network is needed. Packages that package.json does not name are not found.
 * With `PACKAGE_INSTALL=npm`, npm itself installs everything.
 */
export async function installPacked(): Promise<PackedHost> {
  if (!existsSync(join(ROOT, 'dist/libs/governance/index.js'))) {
    throw new Error('There is no build to pack: run npm run build first.');
  }
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'governance-packed-')));
  const tarball = await packOnce();
  const files = (await mustRun('tar', ['-tzf', tarball], workspace)).split('\n').filter(line => line !== '');
  const folder = join(workspace, 'host');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true }));
  await (process.env['PACKAGE_INSTALL'] === 'npm' ? installByNpm(folder, tarball) : installByLinks(folder, tarball));
  return {
    tarball,
    files: files.map(file => file.replace(/^package\//, '')),
    folder,
    installed: join(folder, 'node_modules', manifest.name),
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    remove() {
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

/**
 * Path of the packed package. Packing takes ten seconds of CPU time, so one worker of a test run packs, and the others
 * wait for its tarball.
 */
async function packOnce(): Promise<string> {
  const folder = join(realpathSync(tmpdir()), 'governance-package');
  const tarball = join(folder, 'package.tgz');
  while (!existsSync(tarball)) {
    if (!createFolder(folder)) {
      await sleep(100);
      continue;
    }
    try {
      await mustRun('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT);
      renameSync(join(folder, readdirSync(folder).find(name => name.endsWith('.tgz')) ?? 'missing.tgz'), tarball);
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
  }
  return tarball;
}

/** Whether this call has created the folder. */
function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (existsSync(folder)) return false;
    throw error;
  }
}

/** The peer dependencies of a host, in the versions that this repository uses. */
function requiredPeers(): string[] {
  return Object.keys(manifest.peerDependencies).filter(name => !manifest.peerDependenciesMeta[name]?.optional);
}

async function installByLinks(folder: string, tarball: string): Promise<void> {
  const target = join(folder, 'node_modules', manifest.name);
  mkdirSync(target);
  await mustRun('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], folder);
  // Packages that every TypeScript host on Node has in addition to the peers.
  for (const name of [...Object.keys(manifest.dependencies), ...requiredPeers(), '@types/node']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}

async function installByNpm(folder: string, tarball: string): Promise<void> {
  const wanted = [...requiredPeers(), '@types/node'].map(
    name => `${name}@${manifest.devDependencies[name] ?? 'latest'}`,
  );
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await mustRun('npm', ['install', ...quiet, tarball, ...wanted], folder);
}
