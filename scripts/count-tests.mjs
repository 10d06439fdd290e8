import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { jest } from './jest.mjs';
import { root } from './prepare.mjs';

/** If more files failed, none is run again, because the failures have a common cause. */
const AGAIN_MAX = 3;

/**
 * Runs tests and counts them. If only a few files failed, they run again, alone. The second run changes no count: it
 * only distinguishes a flaky test from a broken one. Both are failures, and both are printed by name. Skipped tests are
 * printed, too, with the reason in their titles.
 */
export function countTests(args) {
  const first = run(args);
  const suspects = first.files.filter(file => file.status === 'failed');
  const failures = suspects.flatMap(failuresOf);
  print(
    'Skipped',
    first.files.flatMap(file => namesOf(file, 'pending')),
  );
  print('Failed', failures);
  if (suspects.length > 0 && suspects.length <= AGAIN_MAX) {
    console.log(`\nOnce more, alone: ${suspects.map(({ name }) => relative(root, name)).join(', ')}\n`);
    const options = args.filter(arg => arg.startsWith('-'));
    const again = run([...options, '--runInBand', '--runTestsByPath', ...suspects.map(({ name }) => name)]);
    // A test that did not run again has not passed.
    const passedNow = new Set(again.files.flatMap(passesOf));
    const isFlaky = failure => passedNow.has(failure);
    print(
      'Failed twice',
      failures.filter(failure => !isFlaky(failure)),
    );
    print('Flaky: failed, and passed when run again. This counts as failed', failures.filter(isFlaky));
  }
  const passed = first.files.flatMap(file => file.assertionResults.filter(({ status }) => status === 'passed')).length;
  // A run that failed without any failed file counts as one failed test.
  return { passed, failed: failures.length === 0 && first.status !== 0 ? 1 : failures.length };
}

/** Runs Jest. Returns its exit status and its results by file. */
function run(args) {
  const folder = mkdtempSync(join(tmpdir(), 'governance-check-'));
  const output = join(folder, 'results.json');
  const status = jest(['--json', `--outputFile=${output}`, ...args]);
  const files = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true, force: true });
  return { status, files };
}

/**
 * Names of the failed tests of a file. A file that could not be loaded counts as one failed test with the name of the
 * file.
 */
function failuresOf(file) {
  const names = namesOf(file, 'failed');
  return names.length > 0 ? names : [relative(root, file.name)];
}

/** Names of the passed tests of a file, and the name of the file itself if all of them passed. */
function passesOf(file) {
  return [...(file.status === 'passed' ? [relative(root, file.name)] : []), ...namesOf(file, 'passed')];
}

function namesOf({ name, assertionResults }, status) {
  return assertionResults
    .filter(test => test.status === status)
    .map(({ ancestorTitles, title }) => [relative(root, name), ...ancestorTitles, title].join(' › '));
}

function print(title, names) {
  if (names.length > 0) console.log(`\n${title}:\n${names.map(name => `  ${name}\n`).join('')}`);
}
