import { join } from 'node:path';
import type { Result } from './check/rule.js';
import { readLines, readOperations, type Incident } from './journal.js';

const EXAMPLES = 3;

/** Prints the timeline of faults, the number of operations, and each rule with its first violations. */
export function printResult(folder: string, results: readonly Result[]): void {
  const operations = readOperations(join(folder, 'operations.jsonl'));
  const incidents = readLines<Incident>(join(folder, 'faults.jsonl')).toSorted((a, b) => a.begun - b.begun);
  const start = Math.min(...operations.map(({ begun }) => begun));
  say('\nFaults');
  const [busy, faults] = [
    incidents.filter(({ at }) => at === 'machine'),
    incidents.filter(({ at }) => at !== 'machine'),
  ];
  for (const { fault, at, begun, ended, detail } of faults) {
    const time = `${((begun - start) / 1_000).toFixed(1).padStart(7)} s`;
    say(
      `${time}  ${fault}, ${at}${detail ? ` (${detail})` : ''}: well after ${((ended - begun) / 1_000).toFixed(1)} s`,
    );
  }
  const longest = Math.round(Math.max(0, ...busy.map(({ begun, ended }) => ended - begun)));
  say(`  The machine was too busy ${busy.length} times, for up to ${longest} ms.`);
  say('\nOperations');
  for (const [what, all] of Map.groupBy(operations, operation => operation.what)) {
    const lost = all.filter(({ status }) => status === undefined).length;
    const refused = all.filter(({ status }) => status === 503).length;
    say(`  ${what.padEnd(12)} ${String(all.length).padStart(7)}, ${lost} answers lost, ${refused} refused with 503`);
  }
  say('\nRules');
  for (const { name, examined, violations } of results) {
    const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
    say(`  ${name.padEnd(52)} ${verdict} (${examined} examined)`);
    for (const violation of violations.slice(0, EXAMPLES)) say(`      ${violation}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
