// Runs every benchmark, or those whose path contains one of the arguments.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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
let failed = 0;
for (const file of files) {
  process.stdout.write(`\n== ${file}\n`);
  if (spawnSync(pinnedNode, [join(folder, file)], { cwd: root, stdio: 'inherit' }).status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
