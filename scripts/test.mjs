import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, install, installHosts, pinnedNode, root } from './prepare.mjs';

install();
installHosts();
// Tests that start the real app as a process run the build.
build();
const jest = join('node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const result = spawnSync(pinnedNode, [...flags, jest, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);
