// What each entry point of the package loads, and how much memory a minimal host uses. Every figure is the median of
// five processes. Measures CPU time instead of elapsed time, because other work on the machine affects it less.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, startDatabase } from '../support/server.mjs';

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const here = import.meta.dirname;
const manifest = JSON.parse(readFileSync(join(here, '../../../package.json'), 'utf8'));
const entryPoints = Object.keys(manifest.exports)
  .filter(entryPoint => entryPoint !== './package.json')
  .map(entryPoint => manifest.name + entryPoint.slice(1));
const run = (flags, script, ...args) =>
  execFileSync(process.execPath, ['--expose-gc', ...flags, join(here, script), ...args], { encoding: 'utf8' });
const load = (mode, entryPoint, flags = []) => JSON.parse(run(flags, 'load-entry-point.mjs', mode, entryPoint));
// V8's young generation grows while modules load, and does not shrink again.
const SMALL = ['--max-semi-space-size=8'];
const middle = (times, measure) => median(Array.from({ length: times }, measure));

console.log(
  '| Entry point | Modules | of them ours | CPU time, ms | Heap, MB | Resident, MB | with 8 MB semi-spaces |',
);
console.log('| --- | --: | --: | --: | --: | --: | --: |');
for (const entryPoint of entryPoints) {
  const { modules } = load('count', entryPoint);
  const sum = entries => entries.reduce((total, [, count]) => total + count, 0);
  const all = Object.entries(modules);
  const ours = all.filter(([name]) => name.startsWith('libs/'));
  const runs = Array.from({ length: RUNS }, () => load('measure', entryPoint));
  const small = Array.from({ length: RUNS }, () => load('measure', entryPoint, SMALL));
  const figures = [
    ...[runs.map(({ cpuMilliseconds }) => cpuMilliseconds), runs.map(({ heapMegabytes }) => heapMegabytes)],
    ...[runs, small].map(each => each.map(({ megabytes }) => megabytes)),
  ].map(each => median(each).toFixed(0));
  console.log(`| \`${entryPoint}\` | ${[sum(all), sum(ours), ...figures].join(' | ')} |`);
}

const database = await startDatabase();
console.log('\n| Host | Resident, MB | with 8 MB semi-spaces |');
console.log('| --- | --: | --: |');
for (const kind of ['bare', 'metered', 'all']) {
  const figures = [[], SMALL].map(flags =>
    middle(RUNS, () => Number(run(flags, 'host-memory.mjs', kind, database.url))),
  );
  console.log(`| ${kind} | ${figures.map(bytes => (bytes / 1e6).toFixed(0)).join(' | ')} |`);
}
await database.stop();
