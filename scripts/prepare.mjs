// Prepares a fresh clone: installs dependencies and builds. Runs on any Node that npm supports, and uses only modules
// of Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The executable of the Node version that the project pins, once that version is installed. */
export const pinnedNode = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

/** Runs a command in the project. If the command fails, ends this process with the command's exit status. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/**
 * Installs dependencies if they are missing or older than the lock file. With `quiet`, nothing is written to standard
 * output.
 */
export function install({ quiet = false } = {}) {
  const marker = join(root, 'node_modules', '.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(marker) && existsSync(pinnedNode) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs) return;
  say('Installing dependencies …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], quiet ? { stdio: ['ignore', 2, 2] } : {});
}

/**
 * Installs the packages of the host applications that tests build. Without these packages, only the tests of those
 * hosts fail.
 */
export function installHosts() {
  const folder = join(root, 'test', 'hosts');
  const marker = join(folder, 'node_modules', '.package-lock.json');
  const lock = join(folder, 'package-lock.json');
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs) return;
  say('Installing the packages of test hosts …');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', ['ci', '--prefix', folder, ...quiet], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

/** The generated part of the client. It is not committed, only its hash. */
export const operationsFile = join(root, 'libs', 'client', 'operations.ts');

/** Whether the generated part of the client has the committed hash. An image is built without the hashes. */
export function isClientCurrent() {
  const hashes = join(root, 'docs', 'reference', 'hashes.json');
  if (!existsSync(operationsFile) || !existsSync(hashes)) return false;
  const hash = createHash('sha256').update(readFileSync(operationsFile)).digest('hex');
  return JSON.parse(readFileSync(hashes, 'utf8'))['operations.ts'] === hash;
}

/** Generates the client unless it is current. */
function generateClient(options) {
  if (isClientCurrent()) return;
  say('Generating the client …');
  run(pinnedNode, [join('scripts', 'client.mjs')], options);
}

/**
 * Builds if the build is missing or older than a source file: first the client's operations, then the app, its bundle
 * and the dashboard.
 */
export function build({ quiet = false } = {}) {
  const options = quiet ? { stdio: ['ignore', 2, 2] } : {};
  generateClient(options);
  // The build of the app empties `dist`, so the other builds come after it.
  step('app', ['libs', 'apps/standalone', 'tsconfig.json', 'tsconfig.build.json', 'package.json'], () =>
    run(pinnedNode, [join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js'), 'build'], options),
  );
  step('bundle', ['scripts/bundle.mjs', 'scripts/bundling.mjs', 'libs', 'apps/standalone', 'package-lock.json'], () =>
    run(pinnedNode, [join('scripts', 'bundle.mjs')], options),
  );
  step('page', ['apps/dashboard', 'libs/client', 'package.json'], () =>
    run(
      pinnedNode,
      [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn', 'apps/dashboard'],
      // The tests set NODE_ENV to "test". With any value but "production", the page would get React's development build.
      { ...options, env: { ...process.env, NODE_ENV: 'production' } },
    ),
  );
}

/** Runs one build if its marker file is missing, or older than one of the sources of the build. */
function step(name, sources, make) {
  const marker = join(root, 'dist', `.built-${name}`);
  const builtAt = existsSync(marker) ? statSync(marker).mtimeMs : 0;
  if (sources.every(path => newest(join(root, path)) <= builtAt)) return;
  say(`Building the ${name} …`);
  make();
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, '');
}

function newest(path) {
  // Tests are ignored, because no build contains them.
  if (path.endsWith('.spec.ts')) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
