import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

install({ quiet: true });
build({ quiet: true });
const cli = join(root, 'dist', 'apps', 'standalone', 'cli.js');
const result = spawnSync(pinnedNode, [cli, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(result.status ?? 1);
