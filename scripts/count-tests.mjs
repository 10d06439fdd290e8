import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { jest } from './jest.mjs';
import { root } from './prepare.mjs';

/** Maximum number of failed files for a second run. If more files failed, they probably have a common cause. */
const AGAIN_MAX = 3;

/**
 * Runs tests and counts them. If only a few files failed, these files run a second time, alone. The second run does not
 * change the counts. It only distinguishes flaky tests from broken ones: both count as failures, and both are printed
 * by name. Skipped tests are printed too, with the reason in their titles.
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
    // A test that is missing in the second run has not passed.
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

/** Runs Jest. Returns its exit status, and its results per file. */
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
