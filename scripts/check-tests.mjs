// Runs every test. Where few files failed, they run once more, alone: what a machine that others use as well has made
// late passes then, and what is broken fails again. Writes `N passed, N failed` into the file that is named first; other
// arguments are Jest's.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './prepare.mjs';

/** Where more files failed, it was not the machine. */
const ALONE_MAX = 3;

const [countsFile, ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'governance-check-'));
const first = run('all', args);
/** The last result of each file, by its path. */
const results = new Map(first.files.map(file => [file.name, file]));
const suspects = first.files.filter(hasFailed).map(({ name }) => name);

if (suspects.length > 0 && suspects.length <= ALONE_MAX) {
  console.log(`\nOnce more, alone: ${named(suspects)}\n`);
  const again = run('alone', ['--runInBand', '--runTestsByPath', ...suspects]);
  for (const file of again.files) results.set(file.name, file);
  const late = suspects.filter(name => !hasFailed(results.get(name)));
  if (late.length > 0) console.log(`\npassed only when run alone: ${named(late)}`);
}
rmSync(folder, { recursive: true, force: true });

const files = [...results.values()];
const passed = sum(files, file => count(file, 'passed'));
// A file that could not even be loaded counts as one failed test, and so does a run that failed without any.
const broken = sum(files, file => Math.max(count(file, 'failed'), hasFailed(file) ? 1 : 0));
const failed = broken === 0 && suspects.length === 0 && first.status !== 0 ? 1 : broken;
const counts = `${passed} passed, ${failed} failed`;
writeFileSync(countsFile, `${counts}\n`);
process.exit(failed > 0 ? 1 : 0);

/** Runs Jest and returns its exit status and its results by file. */
function run(name, args) {
  const output = join(folder, `${name}.json`);
  const script = fileURLToPath(new URL('test.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script, '--json', `--outputFile=${output}`, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const files = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')).testResults : [];
  return { status, files };
}

function hasFailed(file) {
  return file.status === 'failed';
}

function count(file, status) {
  return sum(file.assertionResults, test => (test.status === status ? 1 : 0));
}

function sum(items, value) {
  return items.reduce((total, item) => total + value(item), 0);
}

function named(paths) {
  return paths.map(path => relative(root, path)).join(', ');
}
