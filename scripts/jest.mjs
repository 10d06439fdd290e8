import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pinnedNode, root } from './prepare.mjs';

const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** Runs Jest with the project's Node.js. Returns the exit status. */
export function jest(args) {
  const program = join('node_modules', 'jest', 'bin', 'jest.js');
  const { status } = spawnSync(pinnedNode, [...FLAGS, program, ...args], { cwd: root, stdio: 'inherit' });
  return status ?? 1;
}
